package sheet

import (
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// View implements shell.Dialog. It draws the models in two columns, and below says how the line at the
// cursor differs.
func (d *Dialog) View(bool) []string {
	st := &d.WS.Styles
	half := (d.w - 3) / 2
	lines := []string{st.Heading.On(cells.Fit(cells.Label(d.Sheet.Names[0]), half) + "   " + cells.Fit(cells.Label(d.Sheet.Names[1]), d.w-3-half))}
	from, to := d.Rows.Visible()
	for row := from; row < to; row++ {
		lines = append(lines, d.drawn(row, half))
	}
	lines = cells.Block(lines, d.w, d.h-d.foot())
	if d.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(d.w)))
		lines = append(lines, d.told()...)
	}
	return cells.Block(lines, d.w, d.h)
}

// drawn draws a row of the two columns.
func (d *Dialog) drawn(row, half int) string {
	st := &d.WS.Styles
	l := d.Sheet.lines[d.index(row)]
	left, right := d.Sheet.Sides(l)
	mark := d.Sheet.mark(l)
	left, right = cells.Fit(cells.CutMiddle(left, half), half), cells.Fit(cells.CutMiddle(right, d.w-3-half), d.w-3-half)
	between := " " + string(mark) + " "
	if row == d.Rows.Cursor {
		return st.Selected.On(left + between + right)
	}
	a, b := sideLooks(st, l, mark)
	return a.On(left) + b.On(between+right)
}

// sideLooks returns the styles of the two sides of a line.
func sideLooks(st *theme.Styles, l diffLine, mark rune) (left, right theme.Paint) {
	switch {
	case l.kind == lineHead:
		return st.Heading, st.Heading
	case mark == '-':
		return st.Bad, st.Bad
	case mark == '+':
		return st.Good, st.Good
	case mark == '≠':
		return st.Warn, st.Warn
	default:
		return st.Name, st.Name
	}
}

// told describes the line at the cursor: both sides in full, and how they differ.
func (d *Dialog) told() []string {
	left, right := d.Sheet.Sides(d.Line())
	var out []string
	for _, s := range graph.Present([]string{left, right}) {
		out = append(out, cells.WrapWords(s, d.w)...)
	}
	if left == right {
		out = cells.WrapWords(left, d.w)
	}
	for _, s := range d.Sheet.tell(d.Line()) {
		out = append(out, cells.WrapWords(s, d.w)...)
	}
	if room := d.foot() - 1; len(out) > room && room > 0 {
		out = append(out[:room-1], cells.Cut(out[room-1]+" "+cells.Ellipsis, d.w))
	}
	return out
}
