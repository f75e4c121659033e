package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

const placeJump actions.Place = "jump"

func jumpActions() []actions.Action {
	type it = *jumpDialog
	move := func(d it, m list.Motion) { d.rows.Act(m) }
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), it.accept, it.acceptRefusal), it.close, append(shell.PickRows(move),
		actions.Motion(list.PageDown, "a page down", actions.Keys("pgdown"), move),
		actions.Motion(list.PageUp, "a page up", actions.Keys("pgup"), move),
	)...))
}

// jumpDialog goes to anything in the model that has a name, by some letters of the name.
type jumpDialog struct {
	workspace.Attached
	field *shell.Textfield
	shown []landmark
	total int // number of matches, which may be more than are shown
	rows  list.Window
	w, h  int

	reading  task.Task[*atlas]
	question task.Task[jumpAnswer]
	goes     bool            // goes to the first match when it arrives
	reads    *graphops.Model // the model whose names are being read or were read
}

// jumpAnswer has the matches.
type jumpAnswer struct {
	shown []landmark
	total int
}

// maxJumps is how many matches are listed: nobody reads more.
const maxJumps = 200

// namesFound has the names of the model, nil until names are searched for.
var namesFound workspace.Slot[*atlas]

func newJumpDialog(ws *workspace.Workspace) *jumpDialog {
	return &jumpDialog{Attached: workspace.Attached{WS: ws}, field: shell.NewTextfield("")}
}

func openJump(ws *workspace.Workspace) tea.Cmd {
	d := newJumpDialog(ws)
	ws.Host.Open(d)
	return d.ask()
}

func (d *jumpDialog) Place() actions.Place          { return placeJump }
func (d *jumpDialog) Title() string                 { return "jump" }
func (d *jumpDialog) Box(s shell.Screen) cells.Rect { return s.Body.Centred(min(s.W-4, 120), 30) }

func (d *jumpDialog) acceptRefusal() string {
	return actions.Unless(d.isWaiting() || len(d.shown) > 0, "nothing matches")
}

func (d *jumpDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(h - 2)
	return nil
}

// isWaiting reports whether names are being read or searched.
func (d *jumpDialog) isWaiting() bool { return d.reading.IsOpen() || d.question.IsOpen() }

// ask searches for matches. If the names are not known yet, it reads them first.
func (d *jumpDialog) ask() tea.Cmd {
	d.question.Stop()
	ws := d.WS
	if *namesFound.In(ws) == nil || (*namesFound.In(ws)).model != ws.Model() {
		if d.reading.IsOpen() && d.reads == ws.Model() {
			return nil // the search follows
		}
		d.reads = ws.Model()
		return d.read(ws.Model(), ws.Types)
	}
	atlas, typed := *namesFound.In(ws), d.field.Value()
	return d.question.Ask(ws.Tasks, task.Question[jumpAnswer]{
		Doing: "looking for names",
		Work: func(ctx context.Context, _ task.Report) (m jumpAnswer, err error) {
			m.shown, m.total, err = atlas.find(ctx, typed, maxJumps)
			return m, err
		},
		Take: d.take,
	})
}

// read reads the names of a model, and then searches them.
func (d *jumpDialog) read(m *graphops.Model, types *graph.Typing) tea.Cmd {
	ws := d.WS
	return d.reading.Ask(ws.Tasks, task.Question[*atlas]{
		Doing: "reading names",
		Work:  func(ctx context.Context, _ task.Report) (*atlas, error) { return newAtlas(ctx, m, types) },
		Take: func(a *atlas, err error) tea.Cmd {
			if err != nil {
				ws.Log.Fail(err)
				return nil
			}
			if m == ws.Model() {
				*namesFound.In(ws) = a
			}
			return d.ask()
		},
	})
}

// take shows the matches.
func (d *jumpDialog) take(m jumpAnswer, err error) tea.Cmd {
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.shown, d.total = m.shown, m.total
	d.rows.Reset(len(d.shown), 0)
	if d.goes && len(d.shown) > 0 {
		return d.accept()
	}
	d.goes = false
	return nil
}

func (d *jumpDialog) close() {
	d.reading.Stop()
	d.question.Stop()
	d.WS.Host.Close(d)
}

// accept goes to the selected name. While a search is running it only notes that it was called and
// goes there later, because the list on screen is for an earlier text.
func (d *jumpDialog) accept() tea.Cmd {
	ws := d.WS
	if d.isWaiting() {
		d.goes = true
		return nil
	}
	if (*namesFound.In(ws)).model != ws.Model() {
		return d.ask() // the model has changed in the meantime
	}
	d.close()
	return ws.Jump(d.shown[d.rows.Cursor].spot)
}

func (d *jumpDialog) Typed(k tea.KeyPressMsg) tea.Cmd { return d.edit(k) }

func (d *jumpDialog) Pasted(s string) tea.Cmd { return d.edit(tea.PasteMsg{Content: s}) }

func (d *jumpDialog) edit(msg tea.Msg) tea.Cmd {
	if !d.field.Typed(msg) {
		return nil
	}
	d.goes = false
	return d.ask()
}

// Clicked implements pointed. It goes to the name under the mouse.
func (d *jumpDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.rows.Visible(); y >= 2 && from+y-2 < to {
		d.rows.MoveTo(from + y - 2)
		return d.accept()
	}
	return nil
}

// Wheeled implements pointed.
func (d *jumpDialog) Wheeled(by int) { d.rows.Scroll(by) }

func (d *jumpDialog) Cursor() (x, y int) {
	_, x = d.field.View(d.fieldWidth())
	return x + 2, 0
}

// state returns the number of matches, or says that the names are being read or searched.
func (d *jumpDialog) state() string {
	switch ws := d.WS; {
	case *namesFound.In(ws) == nil || (*namesFound.In(ws)).model != ws.Model():
		return "reading names"
	case d.isWaiting() && d.shown == nil:
		return "searching"
	case d.total > len(d.shown):
		return fmt.Sprintf("%s of %s", text.Count(int64(len(d.shown))), text.Count(int64(d.total)))
	case d.total == 0:
		return "nothing matches"
	default:
		return text.Count(int64(d.total))
	}
}

// Awaits implements awaiting.
func (d *jumpDialog) Awaits() bool { return d.isWaiting() }

// Said returns what was typed, the selected name and the number of matches. While a search runs it
// says "searching", because the list is for an earlier text.
func (d *jumpDialog) Said() string {
	typed := ""
	if s := d.field.Text(); s != "" {
		typed = s + ": "
	}
	if d.isWaiting() {
		return typed + "searching"
	}
	if len(d.shown) == 0 {
		return typed + d.state()
	}
	m := d.shown[d.rows.Cursor]
	words := []string{m.op + " " + m.name}
	for _, s := range []string{m.typ, m.in} {
		if s != "" {
			words = append(words, s)
		}
	}
	return fmt.Sprintf("%s%s, %s of %s", typed, strings.Join(words, ", "), text.Count(int64(d.rows.Cursor+1)), text.Count(int64(d.total)))
}
