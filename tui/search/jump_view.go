package search

import (
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// stateWidth is the room beside the line for the number of matches.
const stateWidth = 20

func (d *JumpDialog) fieldWidth() int { return max(d.w-2-stateWidth, 1) }

// View implements shell.Pane.
func (d *JumpDialog) View(bool) []string {
	st := d.WS.Styles
	typed, _ := d.field.View(d.fieldWidth())
	lines := []string{
		st.Key.On("›") + " " + typed + st.Faint.On(cells.FitRight(d.State(), min(stateWidth, d.w))),
		st.Frame.On(cells.Rule(d.w)),
	}
	from, to := d.Rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, d.line(d.Shown[i], i == d.Rows.Cursor))
	}
	return cells.Block(lines, d.w, d.h)
}

// The least and the most cells of operators.
const (
	leastOp = 6
	maxOp   = 14
)

// line formats a name: operator, name, type, and the place unless it is the main graph.
func (d *JumpDialog) line(m landmark, chosen bool) string {
	st := d.WS.Styles
	lead, opLooks, nameLooks, typLooks, inLooks, hit, gap := "  ", st.Op, st.Name, st.Type, st.Faint, st.Match, theme.Paint("")
	if chosen { // a single bar
		bar := st.Selected
		lead, opLooks, nameLooks, typLooks, inLooks, hit, gap = "› ", bar, bar, bar, bar, st.Hit, bar
	}
	free := d.w - 2 - 3
	op := min(maxOp, d.w/4, max((free-cells.LeastName)/2, leastOp))
	rest := max(free-op-min(cells.Width(m.Name), cells.LeastName), 0)
	typ := min(cells.Width(m.typ), d.w/4, rest)
	in := min(cells.Width(m.in), d.w/4, rest-typ)
	name := max(free-op-typ-in, 1)
	nameAt := len([]rune(m.op)) + 1
	inAt := nameAt + len([]rune(m.Name)) + 1
	// fit brings a styled text to a width and a blank after it.
	fit := func(s string, w int) string {
		s = cells.Cut(s, w)
		return s + gap.On(cells.Blanks(w+1-cells.Width(s)))
	}
	line := opLooks.On(lead) + fit(theme.Lettered(m.op, m.At, 0, opLooks, hit), op) +
		fit(cells.CutFront(theme.Lettered(m.Name, m.At, nameAt, nameLooks, hit), name), name) +
		typLooks.On(cells.Fit(m.typ, typ)+" ") +
		cells.CutFront(theme.Lettered(m.in, m.At, inAt, inLooks, hit), in)
	return line + gap.On(cells.Blanks(d.w-cells.Width(line)))
}
