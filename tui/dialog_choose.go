package tui

import (
	"fmt"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"

	tea "charm.land/bubbletea/v2"
)

const placeChoose place = "choice"

func chooseActions() []actions.Action {
	type it = *chooseDialog
	return actions.Moving(func(d it, m list.Motion) { d.rows.Act(m) }, []row[it]{
		actions.New(actionAccept, "go there", keys("enter", "l", "right"), it.accept),
		actions.Now(actionClose, "cancel", keys("esc", "h", "left", "q"), shut[it]),
	})
}

// choice is one of several alternatives.
type choice struct {
	label string // safe to print
	do    func() tea.Cmd
}

// chooseDialog asks for one of several alternatives.
type chooseDialog struct {
	attached
	what    string
	choices []choice
	rows    list.Window
	w, h    int
}

func newChooseDialog(ws *workspace, what string, choices []choice) *chooseDialog {
	return &chooseDialog{attached: attached{ws}, what: what, choices: choices, rows: list.Window{N: len(choices)}}
}

func (d *chooseDialog) place() place  { return placeChoose }
func (d *chooseDialog) title() string { return d.what }
func (d *chooseDialog) box(s screen) cells.Rect {
	w := 0
	for _, c := range d.choices {
		w = max(w, len(c.label))
	}
	return s.body.Centred(max(w, len(d.what)+4, 24)+2*framePad, len(d.choices)+2)
}

func (d *chooseDialog) said() string {
	return fmt.Sprintf("%s: %s, %d of %d", d.what, d.choices[d.rows.Cursor].label, d.rows.Cursor+1, len(d.choices))
}

func (d *chooseDialog) sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(h)
	return nil
}

// clicked implements pointed. It accepts the choice under the mouse.
func (d *chooseDialog) clicked(_, y int) tea.Cmd {
	if from, to := d.rows.Visible(); from+y < to {
		d.rows.MoveTo(from + y)
		return d.accept()
	}
	return nil
}

// wheeled implements pointed.
func (d *chooseDialog) wheeled(by int) { d.rows.Scroll(by) }

func (d *chooseDialog) accept() tea.Cmd {
	d.ws.host.close(d)
	return d.choices[d.rows.Cursor].do()
}

func (d *chooseDialog) view(bool) []string {
	var lines []string
	from, to := d.rows.Visible()
	for i := from; i < to; i++ {
		line := cells.Fit(d.choices[i].label, d.w)
		if i == d.rows.Cursor {
			line = d.ws.styles.Selected.On(line)
		}
		lines = append(lines, line)
	}
	return cells.Block(lines, d.w, d.h)
}
