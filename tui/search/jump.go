package search

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

// PlaceJump is the place of the dialog that jumps to a name.
const PlaceJump actions.Place = "jump"

// JumpActions are the actions of the dialog that jumps to a name.
func JumpActions() []actions.Action {
	type it = *JumpDialog
	move := func(d it, m list.Motion) { d.Rows.Act(m) }
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), it.accept, it.acceptRefusal), it.close, append(shell.PickRows(move),
		actions.Motion(list.PageDown, "a page down", actions.Keys("pgdown"), move),
		actions.Motion(list.PageUp, "a page up", actions.Keys("pgup"), move),
	)...))
}

// JumpDialog goes to anything in the model that has a name, by some letters of the name.
type JumpDialog struct {
	workspace.Attached
	field *shell.Textfield
	Shown []landmark
	total int // number of matches, which may be more than are shown
	Rows  list.Window
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

// MaxJumps is how many matches are listed: nobody reads more.
const MaxJumps = 200

// namesFound has the names of the model, nil until names are searched for.
var namesFound workspace.Slot[*atlas]

func newJumpDialog(ws *workspace.Workspace) *JumpDialog {
	return &JumpDialog{Attached: workspace.Attached{WS: ws}, field: shell.NewTextfield("")}
}

// OpenJump asks for letters of a name to jump to.
func OpenJump(ws *workspace.Workspace) tea.Cmd {
	d := newJumpDialog(ws)
	ws.Host.Open(d)
	return d.ask()
}

// Place implements shell.Pane.
func (d *JumpDialog) Place() actions.Place { return PlaceJump }

// Title implements shell.Dialog.
func (d *JumpDialog) Title() string { return "jump" }

// Box implements shell.Dialog.
func (d *JumpDialog) Box(s shell.Screen) cells.Rect { return s.Body.Centred(min(s.W-4, 120), 30) }

func (d *JumpDialog) acceptRefusal() string {
	return actions.Unless(d.IsWaiting() || len(d.Shown) > 0, "nothing matches")
}

// Sync implements shell.Pane.
func (d *JumpDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Rows.Resize(h - 2)
	return nil
}

// IsWaiting reports whether names are being read or searched.
func (d *JumpDialog) IsWaiting() bool { return d.reading.IsOpen() || d.question.IsOpen() }

// ask searches for matches. If the names are not known yet, it reads them first.
func (d *JumpDialog) ask() tea.Cmd {
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
			m.shown, m.total, err = atlas.Find(ctx, typed, MaxJumps)
			return m, err
		},
		Take: d.take,
	})
}

// read reads the names of a model, and then searches them.
func (d *JumpDialog) read(m *graphops.Model, types *graph.Typing) tea.Cmd {
	ws := d.WS
	return d.reading.Ask(ws.Tasks, task.Question[*atlas]{
		Doing: "reading names",
		Work:  func(ctx context.Context, _ task.Report) (*atlas, error) { return NewAtlas(ctx, m, types) },
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
func (d *JumpDialog) take(m jumpAnswer, err error) tea.Cmd {
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.Shown, d.total = m.shown, m.total
	d.Rows.Reset(len(d.Shown), 0)
	if d.goes && len(d.Shown) > 0 {
		return d.accept()
	}
	d.goes = false
	return nil
}

func (d *JumpDialog) close() {
	d.reading.Stop()
	d.question.Stop()
	d.WS.Host.Close(d)
}

// accept goes to the selected name. While a search is running it only notes that it was called and
// goes there later, because the list on screen is for an earlier text.
func (d *JumpDialog) accept() tea.Cmd {
	ws := d.WS
	if d.IsWaiting() {
		d.goes = true
		return nil
	}
	if (*namesFound.In(ws)).model != ws.Model() {
		return d.ask() // the model has changed in the meantime
	}
	d.close()
	to := d.Shown[d.Rows.Cursor]
	if to.readers > 1 {
		ws.Log.Say(fmt.Sprintf("this is the first of %d nodes that read %s; %s reads:NAME finds all", to.readers, to.Name, ws.Keys.Key(shell.PlaceMain, workspace.ActionFind)))
	}
	return ws.Jump(to.spot)
}

// Typed implements shell.Typist.
func (d *JumpDialog) Typed(k tea.KeyPressMsg) tea.Cmd { return d.edit(k) }

// Pasted implements shell.Typist.
func (d *JumpDialog) Pasted(s string) tea.Cmd { return d.edit(tea.PasteMsg{Content: s}) }

func (d *JumpDialog) edit(msg tea.Msg) tea.Cmd {
	if !d.field.Typed(msg) {
		return nil
	}
	d.goes = false
	return d.ask()
}

// Clicked implements shell.Pointed. It goes to the name under the mouse.
func (d *JumpDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.Rows.Visible(); y >= 2 && from+y-2 < to {
		d.Rows.MoveTo(from + y - 2)
		return d.accept()
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *JumpDialog) Wheeled(by int) { d.Rows.Scroll(by) }

// Cursor implements shell.Typist.
func (d *JumpDialog) Cursor() (x, y int) {
	_, x = d.field.View(d.fieldWidth())
	return x + 2, 0
}

// State returns the number of matches, or says that the names are being read or searched.
func (d *JumpDialog) State() string {
	switch ws := d.WS; {
	case *namesFound.In(ws) == nil || (*namesFound.In(ws)).model != ws.Model():
		return "reading names"
	case d.IsWaiting() && d.Shown == nil:
		return "searching"
	case d.total > len(d.Shown):
		return fmt.Sprintf("%s of %s", text.Count(int64(len(d.Shown))), text.Count(int64(d.total)))
	case d.total == 0:
		return "nothing matches"
	default:
		return text.Count(int64(d.total))
	}
}

// Awaits implements awaiting.
func (d *JumpDialog) Awaits() bool { return d.IsWaiting() }

// Said returns what was typed, the selected name and the number of matches. While a search runs it
// says "searching", because the list is for an earlier text.
func (d *JumpDialog) Said() string {
	typed := ""
	if s := d.field.Text(); s != "" {
		typed = s + ": "
	}
	if d.IsWaiting() {
		return typed + "searching"
	}
	if len(d.Shown) == 0 {
		return typed + d.State()
	}
	m := d.Shown[d.Rows.Cursor]
	words := []string{m.op + " " + m.Name}
	for _, s := range []string{m.typ, m.in} {
		if s != "" {
			words = append(words, s)
		}
	}
	return fmt.Sprintf("%s%s, %s of %s", typed, strings.Join(words, ", "), text.Count(int64(d.Rows.Cursor+1)), text.Count(int64(d.total)))
}
