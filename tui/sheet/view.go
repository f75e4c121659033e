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
	lines := []string{st.Heading.On(cells.Fit("a: "+cells.Label(d.Sheet.Names[0]), half) + "   " + cells.Fit("b: "+cells.Label(d.Sheet.Names[1]), d.w-3-half))}
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
	mark := d.Sheet.mark(l)
	left, right := d.halves(l, half, d.w-3-half)
	between := " " + string(mark) + " "
	if row == d.Rows.Cursor {
		return st.Selected.On(left + between + right)
	}
	a, b := sideLooks(st, l, mark)
	sign := b
	if mark == '≠' {
		sign = st.Mark
	}
	return a.On(left) + sign.On(between) + b.On(right)
}

// The least and the most cells of operators. If names leave less, operators have no column: the text
// below has both sides in full.
const (
	leastOps = 5
	mostOps  = 20 // unless names leave more
)

// Table divides a half of w cells.
func (s *diffSheet) Table(w int) cells.Table {
	ops := min(s.ops, max(mostOps, w-1-s.longest), w-1-min(s.longest, cells.LeastName))
	if ops < leastOps {
		ops = 0
	}
	return cells.Divide(w, s.longest, []cells.Column{{Title: "op", Width: ops, Gap: 1}})
}

// halves returns the two sides of a line at their widths. Operators are aligned in a column, and a
// constant is indented below the node that reads it.
func (d *Dialog) halves(l diffLine, a, b int) (left, right string) {
	indent := ""
	if l.kind == lineWeight {
		indent = "  "
	}
	t := d.Sheet.Table(a)
	ops := t.Widths[0]
	fit := func(op, s string, w int) string {
		if op != "" && ops > 0 {
			return cells.Fit(op, ops) + " " + cells.Fit(cells.CutNodeName(s, op, w-ops-1), w-ops-1)
		}
		if s != "" {
			s = indent + s
		}
		return cells.Fit(cells.CutMiddle(s, w), w)
	}
	if l.kind == lineNode && ops > 0 {
		p := d.Sheet.Places[l.place]
		r := p.Rows[l.at]
		opA, nameA := nodeParts(d.Sheet.outlines[p.A], r.A)
		opB, nameB := nodeParts(d.Sheet.outlines[p.B], r.B)
		return fit(opA, nameA, a), fit(opB, nameB, b)
	}
	left, right = d.Sheet.Sides(l)
	return fit("", left, a), fit("", right, b)
}

// nodeParts returns the operator and the name of a node; "" for a node that is missing.
func nodeParts(o *graph.Outline, i int) (op, name string) {
	if o == nil || i < 0 {
		return "", ""
	}
	return o.Op(o.NodeRow(i)), o.Name(o.NodeRow(i))
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
	case mark == ' ':
		return st.Equal, st.Equal
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
