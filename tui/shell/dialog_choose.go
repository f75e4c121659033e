package shell

import (
	"fmt"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"

	tea "charm.land/bubbletea/v2"
)

// PlaceChoose is the place of a dialog that asks for one of several alternatives.
const PlaceChoose actions.Place = "choice"

// ChooseActions are the actions of a dialog that asks for one of several alternatives.
func ChooseActions() []actions.Action {
	type it = *ChooseDialog
	return actions.Moving(func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(ActionAccept, "go there", actions.Keys("enter", "l", "right"), it.accept),
		actions.Now(ActionClose, "cancel", actions.Keys("esc", "h", "left", "q"), Shut[it]),
	})
}

// Choice is one of several alternatives.
type Choice struct {
	Label string // safe to print
	Do    func() tea.Cmd
}

// ChooseDialog asks for one of several alternatives.
type ChooseDialog struct {
	hosting
	what    string
	choices []Choice
	Rows    list.Window
	w, h    int
}

// NewChooseDialog asks what is meant by one of the choices.
func NewChooseDialog(h Host, what string, choices []Choice) *ChooseDialog {
	return &ChooseDialog{hosting: hosting{h}, what: what, choices: choices, Rows: list.Window{N: len(choices)}}
}

// Place implements Pane.
func (d *ChooseDialog) Place() actions.Place { return PlaceChoose }

// Title implements Dialog.
func (d *ChooseDialog) Title() string { return d.what }

// Box implements Dialog.
func (d *ChooseDialog) Box(s Screen) cells.Rect {
	w := 0
	for _, c := range d.choices {
		w = max(w, len(c.Label))
	}
	return s.Body.Centred(max(w, len(d.what)+4, 24)+2*FramePad, len(d.choices)+2)
}

// Said implements Pane.
func (d *ChooseDialog) Said() string {
	return fmt.Sprintf("%s: %s, %d of %d", d.what, d.choices[d.Rows.Cursor].Label, d.Rows.Cursor+1, len(d.choices))
}

// Sync implements Pane.
func (d *ChooseDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Rows.Resize(h)
	return nil
}

// Clicked implements Pointed. It accepts the choice under the mouse.
func (d *ChooseDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.Rows.Visible(); from+y < to {
		d.Rows.MoveTo(from + y)
		return d.accept()
	}
	return nil
}

// Wheeled implements Pointed.
func (d *ChooseDialog) Wheeled(by int) { d.Rows.Scroll(by) }

func (d *ChooseDialog) accept() tea.Cmd {
	d.host.Close(d)
	return d.choices[d.Rows.Cursor].Do()
}

// View implements Pane.
func (d *ChooseDialog) View(bool) []string {
	var lines []string
	from, to := d.Rows.Visible()
	for i := from; i < to; i++ {
		line := cells.Fit(d.choices[i].Label, d.w)
		if i == d.Rows.Cursor {
			line = d.host.Styles().Selected.On(line)
		}
		lines = append(lines, line)
	}
	return cells.Block(lines, d.w, d.h)
}
