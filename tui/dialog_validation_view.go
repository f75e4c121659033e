package tui

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/passes"
)

// The smallest and largest width of the column of names.
const (
	minNameWidth = 18
	maxNameWidth = 60
)

// headLines is the number of lines above the rows: the verdict, if there is room, and the titles.
func (d *validationDialog) headLines() int {
	if d.h < passes.LowDialog {
		return 1
	}
	return 2
}

// foot is the number of lines about the row at the cursor, including the rule above them.
func (d *validationDialog) foot() int {
	if d.h < passes.LowDialog {
		return 0
	}
	return min(graph.FindingFoot-1, d.h/3)
}

// fitting returns how many columns fit on the screen, starting with column from, if the column of
// names has its smallest width. rest is the width that is left.
func (d *validationDialog) fitting(from int) (n, rest int) {
	rest = d.w - max(minNameWidth, d.w/4) - 1 // room for the sign that there are more
	for _, c := range d.table().columns[min(from, len(d.table().columns)):] {
		if rest < c.width+1 {
			break
		}
		rest -= c.width + 1
		n++
	}
	return n, rest
}

// reveal scrolls sideways to make the column at the cursor visible.
func (d *validationDialog) reveal() {
	v := d.looked()
	if v.column > 0 && v.column < v.left {
		v.left = v.column
	}
	for v.column > 0 && v.left < v.column {
		if n, _ := d.fitting(v.left); v.column < v.left+n {
			break
		}
		v.left++
	}
	for v.left > 1 { // do not leave room empty
		if n, _ := d.fitting(v.left - 1); v.left-1+n < len(d.table().columns) {
			break
		}
		v.left--
	}
}

// visible returns the range of visible columns, and the width of the column of names.
func (d *validationDialog) visible() (from, to, names int) {
	from = d.looked().left
	n, rest := d.fitting(from)
	return from, from + n, min(max(minNameWidth, d.w/4)+rest, maxNameWidth)
}

// columnAt returns the column at a cell of a line, or -1.
func (d *validationDialog) columnAt(x int) int {
	from, to, end := d.visible()
	if x < end {
		return 0
	}
	for i := from; i < to; i++ {
		if end += d.table().columns[i].width + 1; x < end {
			return i
		}
	}
	return -1
}

func (d *validationDialog) View(bool) []string {
	st := &d.WS.Styles
	var lines []string
	if d.headLines() > 1 {
		looks := st.Good
		if d.table().failed > 0 || strings.HasPrefix(d.verdict, "fail") {
			looks = st.Bad
		}
		lines = append(lines, looks.On(cells.Fit(d.headline(), d.w)))
	}
	from, to, names := d.visible()
	lines = append(lines, d.headOf(from, to, names))
	v := d.looked()
	first, last := v.rows.Visible()
	for i := first; i < last; i++ {
		lines = append(lines, d.drawn(i, from, to, names))
	}
	if len(v.lines) == 0 {
		lines = append(lines, st.Faint.On(cells.Cut(d.emptiness(), d.w)))
	}
	lines = cells.Block(lines, d.w, d.h-d.foot())
	if d.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(d.w)))
		lines = append(lines, d.told()...)
	}
	return cells.Block(lines, d.w, d.h)
}

// headline says whether the outputs are equal or which layer diverges first. If the comparison was
// reduced to a smaller model, that model is described first.
func (d *validationDialog) headline() string {
	if d.submodel == "" {
		return d.found()
	}
	return d.submodel + "; " + d.found()
}

// found is the verdict on the outputs, or the result for the layers.
func (d *validationDialog) found() string {
	if d.at == tableOutputs {
		return d.verdict
	}
	if d.first < 0 {
		return "no layer diverges; outputs " + d.verdict
	}
	for i := range d.table().rows {
		if r := &d.table().rows[i]; d.isFirst(r) {
			return fmt.Sprintf("first divergence: %s, made by %s; outputs %s", r.called(), cells.Label(r.op+" "+r.where), d.verdict)
		}
	}
	return d.verdict
}

// isFirst reports whether a row is the first layer whose error is too large.
func (v *validation) isFirst(r *validationRow) bool {
	return v.first >= 0 && r.of.Output == "" && r.of.Layer == v.first
}

func (d *validationDialog) emptiness() string {
	if len(d.table().rows) == 0 {
		return "nothing was compared"
	}
	return fmt.Sprintf("none of %s matches; %s and %s change what is shown", text.Plural(len(d.table().rows), "row"),
		d.WS.Keys.Key(placeValidation, actionWords), d.WS.Keys.Key(placeValidation, actionFailing))
}

// headOf draws the titles: an arrow at the column that rows are sorted by, the column at the cursor
// highlighted, and at the ends the number of hidden columns.
func (d *validationDialog) headOf(from, to, names int) string {
	st, v := &d.WS.Styles, d.looked()
	columns := d.table().columns
	cell := func(i, w int) string {
		c := &columns[i]
		s := c.name
		if v.order.column == i {
			s += c.arrow(v.order.backward)
		}
		looks := st.Heading
		if i == v.column {
			looks = st.Selected
		}
		return looks.On(c.fit(s, w))
	}
	line := cell(0, names)
	for i := from; i < to; i++ {
		gap := " "
		if i == from && from > 1 {
			gap = "‹"
		}
		line += st.Faint.On(gap) + cell(i, columns[i].width)
	}
	if to < len(columns) {
		line += st.Faint.On("›")
	}
	return line
}

// arrow shows the direction of the order.
func (c *validationColumn) arrow(backward bool) string {
	if (c.figure < 0 || c.low) != backward {
		return "↑"
	}
	return "↓"
}

// drawn draws a row of the table.
func (d *validationDialog) drawn(line, from, to, names int) string {
	st, v := &d.WS.Styles, d.looked()
	r := &d.table().rows[v.lines[line]]
	columns := d.table().columns
	mark := "  "
	switch {
	case r.failed:
		mark = "✗ "
	case d.isFirst(r):
		mark = "! "
	}
	var b strings.Builder
	b.WriteString(cells.Fit(mark+cells.CutMiddle(columns[0].of(r), names-2), names))
	for i := from; i < to; i++ {
		b.WriteString(" " + columns[i].fit(columns[i].of(r), columns[i].width))
	}
	s := cells.Fit(b.String(), d.w)
	switch {
	case line == v.rows.Cursor:
		return st.Selected.On(s)
	case r.failed:
		return st.Bad.On(s)
	case !r.compared:
		return st.Faint.On(s)
	}
	return s
}

// told describes the row and the column at the cursor.
func (d *validationDialog) told() []string {
	v := d.looked()
	c := &d.table().columns[v.column]
	var out []string
	if r := d.row(); r != nil {
		for _, s := range r.told() {
			out = append(out, cells.WrapWords(cells.Cut(s, d.w*d.foot()), d.w)...)
		}
	}
	room := d.foot() - 2
	if len(out) > room && room > 0 {
		out = append(out[:room-1], cells.Cut(out[room-1]+" "+cells.Ellipsis, d.w))
	}
	for len(out) < room {
		out = append(out, "")
	}
	return append(out, d.WS.Styles.Faint.On(cells.Cut(c.name+": "+c.help+d.ofColumns(), d.w)))
}

// ofColumns returns the number of the column at the cursor, as in "; column 3 of 12".
func (d *validationDialog) ofColumns() string {
	return fmt.Sprintf("; column %d of %d", d.looked().column+1, len(d.table().columns))
}

func (d *validationDialog) Said() string {
	r := d.row()
	if r == nil {
		return d.Title() + "\n" + d.emptiness()
	}
	v := d.looked()
	words := r.told()
	for i := range d.table().columns {
		if c := &d.table().columns[i]; c.figure >= 0 && c.tells(r) {
			words = append(words, c.name+" "+c.of(r))
		}
	}
	return fmt.Sprintf("%s\n%s, row %d of %d, column %s", d.Title(), strings.Join(words, ", "), v.rows.Cursor+1, v.rows.N, d.table().columns[v.column].name)
}
