package forms

import (
	"fmt"
	"strings"

	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// stepsFoot is the height below the list: a rule and a line.
const stepsFoot = 2

// stepRow is the text of a step in the list.
type stepRow struct {
	glyph, call, state string
	faint              bool
}

// row returns the text of a line of the list. The steps of the draft come first, then the steps
// that were undone.
func (d *StepsDialog) row(i int) stepRow {
	if i >= len(d.Draft) {
		return stepRow{"○", workspace.CallText(d.Undone[i-len(d.Draft)].Call), "undone", true}
	}
	r := stepRow{glyph: stepGlyph(d.Draft[i]), call: workspace.CallText(d.Draft[i].Call)}
	if i >= d.kept() {
		r.state = "to be taken again"
	}
	return r
}

// stepGlyph distinguishes steps that changed the model from others.
func stepGlyph(p session.Past) string {
	if p.Changed {
		return "●"
	}
	return "·"
}

// Said implements shell.Pane.
func (d *StepsDialog) Said() string {
	if d.count() == 0 {
		return "no step is left"
	}
	r := d.row(d.Rows.Cursor)
	words := fmt.Sprintf("step %d of %d: %s", d.Rows.Cursor+1, d.count(), r.call)
	if r.state != "" {
		words += ", " + r.state
	}
	if d.err != nil {
		words += "\n" + strings.Join(cells.SafeLines(d.err.Error()), "\n")
	}
	return words
}

// View implements shell.Pane.
func (d *StepsDialog) View(bool) []string {
	st := d.WS.Styles
	var lines []string
	from, to := d.Rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, d.line(i))
	}
	if d.count() == 0 {
		lines = append(lines, st.Faint.On("  no step is left; the model will be as it was when it was opened"))
	}
	lines = cells.Block(lines, d.w, max(d.h-stepsFoot, 0))
	return cells.Block(append(lines, st.Frame.On(cells.Rule(d.w)), d.foot()), d.w, d.h)
}

func (d *StepsDialog) line(i int) string {
	st, r := d.WS.Styles, d.row(i)
	lead := "  "
	if i == d.Rows.Cursor {
		lead = "› "
	}
	number := cells.FitRight(fmt.Sprint(i+1), len(fmt.Sprint(d.count())))
	room := max(d.w-len(number)-len(r.state)-6, 1)
	body := cells.Fit(r.call, room)
	looks := theme.Paint("")
	switch {
	case i == d.Rows.Cursor:
		looks = st.Selected
	case r.faint:
		looks = st.Faint
	}
	return st.Key.On(lead) + st.Number.On(number) + " " + st.Node.On(r.glyph) + " " + looks.On(body) + " " + st.Warn.On(r.state)
}

// foot returns the last line of the dialog: why the steps could not be run, which keys run or drop
// the changes, or what the signs in the list mean.
func (d *StepsDialog) foot() string {
	st, keys := d.WS.Styles, d.WS.Keys
	switch {
	case d.err != nil:
		return st.Bad.On(cells.Cut(cells.SafeLines(d.err.Error())[0], d.w))
	case d.isChanged():
		return st.Warn.On(cells.Cut(fmt.Sprintf("%s takes the steps again as they stand here, %s drops the changes", keys.Key(PlaceSteps, ActionRetake), keys.Key(PlaceSteps, shell.ActionReset)), d.w))
	default:
		return st.Faint.On(cells.Cut("● changed the model  · did not  ○ is undone", d.w))
	}
}
