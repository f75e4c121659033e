package inplace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Place is the place of the dialog.
const Place actions.Place = "edit-in-place"

// Actions are the actions of the dialog.
func Actions() []actions.Action {
	type it = *Dialog
	rows := append(shell.PickRows(func(d it, m list.Motion) { d.move(m) }),
		actions.New(shell.ActionComplete, "complete a type, else the next line", actions.Keys("tab"), it.complete))
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "change it", actions.Keys("enter"), it.accept, it.refusal), it.close, rows...))
}

// Dialog has a line for everything that can be edited about a row. The line with the focus is typed
// into; what would change is shown below.
type Dialog struct {
	workspace.Attached
	model   *graphops.Model
	row     int
	title   string
	targets []Target
	fields  []*shell.Textfield
	rows    list.Window
	preview []string
	err     error
	asking  task.Task[[]string]
	wanted  bool // Enter was pressed before the preview had arrived
	w, h    int
}

// Refusal says why nothing about the selected row can be edited, or "".
func Refusal(ws *workspace.Workspace) string {
	return actions.Unless(len(Targets(ws, ws.Row())) > 0, "nothing about this row can be edited")
}

// Open edits the selected row.
func Open(ws *workspace.Workspace) tea.Cmd { return OpenAt(ws, Target{Kind: -1}) }

// OpenAt edits the selected row, with the focus on a target.
func OpenAt(ws *workspace.Workspace, at Target) tea.Cmd {
	d := &Dialog{Attached: workspace.Attached{WS: ws}, model: ws.Model(), row: ws.Row(), targets: Targets(ws, ws.Row())}
	d.title = "edit " + ws.Outline.Called(d.row)
	for _, t := range d.targets {
		d.fields = append(d.fields, shell.NewProposal(t.Now))
	}
	d.rows = list.Window{N: len(d.targets)}
	d.rows.MoveTo(max(slices.IndexFunc(d.targets, func(t Target) bool { return t.Kind == at.Kind && t.Subject == at.Subject }), 0))
	ws.Host.Open(d)
	return nil
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return Place }

// Title implements shell.Dialog.
func (d *Dialog) Title() string { return d.title }

// previewLines is the height of the preview.
const previewLines = 8

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect {
	return s.Body.Centred(min(s.W-4, 90), min(len(d.targets), s.Body.H/2)+previewLines+4)
}

// Said implements shell.Pane.
func (d *Dialog) Said() string {
	t := d.target()
	said := t.label() + " " + d.field().Text()
	if len(d.changes()) == 0 {
		return said + ". " + t.help()
	}
	return said + ". " + ansi.Strip(strings.Join(d.below(), " "))
}

// Awaits reports whether a preview is on its way.
func (d *Dialog) Awaits() bool { return d.asking.IsOpen() }

// At returns the position of the line with the focus.
func (d *Dialog) At() int { return d.rows.Cursor }

func (d *Dialog) target() Target                  { return d.targets[d.rows.Cursor] }
func (d *Dialog) field() *shell.Textfield         { return d.fields[d.rows.Cursor] }
func (d *Dialog) changed(i int) bool              { return d.fields[i].Value() != d.targets[i].Now }
func (d *Dialog) Typed(k tea.KeyPressMsg) tea.Cmd { return d.edit(k) }
func (d *Dialog) Pasted(s string) tea.Cmd         { return d.edit(tea.PasteMsg{Content: s}) }

// Sync implements shell.Pane.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(max(min(len(d.targets), h-previewLines-2), 1))
	return nil
}

func (d *Dialog) move(m list.Motion) {
	d.rows.Act(m)
	d.fields[d.rows.Cursor].IsProposal = d.field().IsUntouched()
}

// complete completes the name of an element type, or goes to the next line.
func (d *Dialog) complete() tea.Cmd {
	f := d.field()
	v := f.Value()
	if d.target().isType && v != "" && d.changed(d.rows.Cursor) {
		for _, name := range elementTypes {
			if strings.HasPrefix(name, v) && name != v {
				f.Input.SetValue(name)
				f.Input.CursorEnd()
				return d.ask()
			}
		}
	}
	d.rows.MoveTo((d.rows.Cursor + 1) % d.rows.N)
	return nil
}

func (d *Dialog) edit(msg tea.Msg) tea.Cmd {
	if !d.field().Typed(msg) {
		return nil
	}
	return d.ask()
}

// changes returns what was typed, where it differs from what is there.
func (d *Dialog) changes() []change {
	var out []change
	for i, t := range d.targets {
		if d.changed(i) {
			out = append(out, change{t, d.fields[i].Value()})
		}
	}
	return out
}

// ask previews the changes after a short pause.
func (d *Dialog) ask() tea.Cmd {
	d.err, d.wanted = nil, false
	changes, m, env := d.changes(), d.model, d.WS.Options.Env
	if len(changes) == 0 {
		d.asking.Stop()
		d.preview = nil
		return nil
	}
	steps, err := stepsOf(d.WS, d.row, changes)
	if err != nil {
		d.asking.Stop()
		d.err, d.preview = err, nil
		return nil
	}
	env.Progress = func(session.Progress) {}
	return d.asking.Ask(d.WS.Tasks, task.Question[[]string]{
		Doing: "previewing an edit", Pause: d.WS.Pause,
		Work: func(ctx context.Context, _ task.Report) ([]string, error) {
			var all []string
			for _, s := range steps {
				_, lines, err := workspace.PreviewOf(ctx, s, env, m)
				if err != nil {
					return nil, err
				}
				all = append(all, lines...)
			}
			return all, nil
		},
		Take: func(lines []string, err error) tea.Cmd {
			d.preview, d.err = lines, err
			if d.wanted && err == nil {
				return d.accept()
			}
			d.wanted = false
			return nil
		},
	})
}

func (d *Dialog) refusal() string {
	switch {
	case d.WS.Busy() != "":
		return d.WS.Busy()
	case d.model != d.WS.Model():
		return "the model has changed since; close this with Esc"
	case d.err != nil:
		return reason(d.err)
	case len(d.changes()) == 0:
		return "nothing is changed yet; type a new value"
	}
	return ""
}

// reason returns an error without the option that it names, because nobody has typed the option here.
func reason(err error) string {
	s, _, _ := strings.Cut(workspace.Reason(err), "; to do it anyway")
	if _, rest, ok := strings.Cut(s, ": "); ok && strings.HasPrefix(s, "--") {
		return rest
	}
	return s
}

// accept makes the changes, once the preview has shown that they are possible.
func (d *Dialog) accept() tea.Cmd {
	if d.asking.IsOpen() {
		d.wanted = true
		return nil
	}
	steps, err := stepsOf(d.WS, d.row, d.changes())
	if err != nil {
		d.err = err
		return nil
	}
	d.close()
	return d.WS.RunAll(steps...)
}

func (d *Dialog) close() {
	d.asking.Stop()
	d.WS.Host.Close(d)
}

// Cursor implements shell.Typist.
func (d *Dialog) Cursor() (x, y int) {
	_, x = d.field().View(d.w - d.labels() - 2)
	return d.labels() + 2 + x, d.rows.Cursor - d.rows.Top
}

// labels is the width of the labels.
func (d *Dialog) labels() int {
	w := 0
	for _, t := range d.targets {
		w = max(w, cells.Width(t.label()))
	}
	return min(w, d.w/2)
}

// View implements shell.Pane.
func (d *Dialog) View(bool) []string {
	var lines []string
	from, to := d.rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, d.line(i))
	}
	lines = append(lines, d.WS.Styles.Frame.On(cells.Rule(d.w)))
	return cells.Block(append(lines, d.below()...), d.w, d.h)
}

// line draws a target and its field.
func (d *Dialog) line(i int) string {
	st, t := d.WS.Styles, d.targets[i]
	label := cells.Fit(cells.CutMiddle(t.label(), d.labels()), d.labels())
	value, _ := d.fields[i].View(d.w - d.labels() - 2)
	switch {
	case i == d.rows.Cursor:
		return st.Key.On(label) + "  " + st.FieldFocus.On(value)
	case d.changed(i):
		return label + "  " + st.Warn.On(value)
	case t.hint != "":
		return st.Faint.On(label + "  " + cells.Fit(t.hint, d.w-d.labels()-2))
	}
	return label + "  " + value
}

// below returns the lines below the targets: what is wrong, what would change, or what may be typed.
func (d *Dialog) below() []string {
	st := d.WS.Styles
	var out []string
	switch {
	case d.err != nil:
		for _, line := range cells.Wrap(reason(d.err), max(d.w, 1)) {
			out = append(out, st.Bad.On(line))
		}
	case len(d.changes()) == 0:
		for _, line := range cells.Wrap(d.target().help(), max(d.w, 1)) {
			out = append(out, st.Faint.On(line))
		}
	case d.preview == nil:
		out = append(out, st.Faint.On("…"))
	default:
		for _, line := range d.preview {
			out = append(out, cells.Wrap(line, d.w)...)
		}
	}
	if len(out) > previewLines {
		out = append(out[:previewLines-1:previewLines-1], st.Faint.On(fmt.Sprintf("%d lines more", len(out)-previewLines+1)))
	}
	return out
}
