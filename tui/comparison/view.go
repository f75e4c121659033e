package comparison

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/passes"
	"lathe/tui/shell"
)

// fewestNames is the smallest width of the column of names, even if all are shorter.
const fewestNames = 12

// headLines is the number of lines above the rows: the verdict, if there is room, and the titles.
func (d *ValidationDialog) headLines() int { return len(d.verdictLines) + 1 }

// wrapVerdict breaks the verdict into lines, at most a quarter of the dialog together with the accuracies.
func (d *ValidationDialog) wrapVerdict() {
	d.verdictLines = nil
	if d.h < passes.LowDialog {
		return
	}
	lines := cells.WrapWords(d.headline(), d.w)
	if most := max(d.h/4-len(d.accuracy), 1); len(lines) > most {
		lines = append(lines[:most-1], cells.Cut(strings.Join(lines[most-1:], " "), d.w))
	}
	for _, line := range d.accuracy {
		lines = append(lines, cells.Cut(line, d.w))
	}
	d.verdictLines = lines
}

// foot is the number of lines about the row at the cursor, including the rule above them.
func (d *ValidationDialog) foot() int {
	if d.h < passes.LowDialog {
		return 0
	}
	return min(graph.FindingFoot-1, d.h/3)
}

// fitting returns how many columns fit on the screen, starting with column from, if the column of
// names has its smallest width. rest is the width that is left.
func (d *ValidationDialog) fitting(from int) (n, rest int) {
	rest = d.w - d.leastNames() - 1 // room for the sign that there are more
	for _, c := range d.table().Columns[min(from, len(d.table().Columns)):] {
		if rest < c.width+1 {
			break
		}
		rest -= c.width + 1
		n++
	}
	return n, rest
}

// leastNames is the room that names have before a column is shown.
func (d *ValidationDialog) leastNames() int {
	return min(max(min(cells.LeastName+markWidth, d.w/2), d.w/4), max(d.table().longest, fewestNames))
}

// reveal scrolls sideways to make the column at the cursor visible.
func (d *ValidationDialog) reveal() {
	v := d.Looked()
	if v.Column > 0 && v.Column < v.left {
		v.left = v.Column
	}
	for v.Column > 0 && v.left < v.Column {
		if n, _ := d.fitting(v.left); v.Column < v.left+n {
			break
		}
		v.left++
	}
	for v.left > 1 { // do not leave room empty
		if n, _ := d.fitting(v.left - 1); v.left-1+n < len(d.table().Columns) {
			break
		}
		v.left--
	}
}

// Visible returns the range of visible columns, and the width of the column of names.
func (d *ValidationDialog) Visible() (from, to, names int) {
	from = d.Looked().left
	n, rest := d.fitting(from)
	return from, from + n, min(d.leastNames()+rest, max(d.leastNames(), d.table().longest))
}

// columnAt returns the column at a cell of a line, or -1.
func (d *ValidationDialog) columnAt(x int) int {
	from, to, end := d.Visible()
	if x < end {
		return 0
	}
	for i := from; i < to; i++ {
		if end += d.table().Columns[i].width + 1; x < end {
			return i
		}
	}
	return -1
}

// View implements shell.Pane.
func (d *ValidationDialog) View(bool) []string {
	st := &d.WS.Styles
	var lines []string
	looks := st.Good
	if d.table().failed > 0 || strings.HasPrefix(d.verdict, "fail") {
		looks = st.Bad
	}
	for _, line := range d.verdictLines {
		lines = append(lines, looks.On(cells.Fit(line, d.w)))
	}
	if len(d.printed) > 0 {
		return cells.Block(append(lines, d.printedLines(d.h-len(lines))...), d.w, d.h)
	}
	from, to, names := d.Visible()
	lines = append(lines, d.headOf(from, to, names))
	v := d.Looked()
	first, last := v.Rows.Visible()
	for i := first; i < last; i++ {
		lines = append(lines, d.drawn(i, from, to, names))
	}
	if len(v.Lines) == 0 {
		lines = append(lines, st.Faint.On(cells.Cut(d.emptiness(), d.w)))
	}
	lines = cells.Block(lines, d.w, d.h-d.foot())
	if d.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(d.w)))
		lines = append(lines, d.told()...)
	}
	return cells.Block(lines, d.w, d.h)
}

// printedLines returns what the command prints in at most n lines, and says if that is not all.
func (d *ValidationDialog) printedLines(n int) (lines []string) {
	for _, line := range d.printed {
		lines = append(lines, cells.WrapWords(line, d.w)...)
	}
	if len(lines) > n && n > 0 {
		more := d.WS.Keys.Key(PlaceValidation, shell.ActionCopy) + " copies the command that prints the rest"
		lines = append(lines[:n-1], d.WS.Styles.Faint.On(cells.Cut(more, d.w)))
	}
	return lines
}

// headline says whether the outputs are equal or which layer diverges first. If the comparison was
// reduced to a smaller model, that model is described first.
func (d *ValidationDialog) headline() string {
	if d.submodel == "" {
		return d.found()
	}
	return d.submodel + "; " + d.found()
}

// found is the verdict on the outputs, or the result for the layers.
func (d *ValidationDialog) found() string {
	if d.At == TableOutputs {
		return d.verdict
	}
	if d.first < 0 {
		return "no layer diverges; outputs " + d.verdict
	}
	for i := range d.table().Rows {
		if r := &d.table().Rows[i]; d.isFirst(r) {
			return fmt.Sprintf("first divergence: %s, made by %s; outputs %s", r.called(), cells.Label(r.op+" "+r.where), d.verdict)
		}
	}
	return d.verdict
}

// isFirst reports whether a row is the first layer whose error is too large.
func (v *validation) isFirst(r *validationRow) bool {
	return v.first >= 0 && r.of.Output == "" && r.of.Layer == v.first
}

func (d *ValidationDialog) emptiness() string {
	if len(d.table().Rows) == 0 {
		return "nothing was compared"
	}
	return fmt.Sprintf("none of %s matches; %s and %s change what is shown", text.Plural(len(d.table().Rows), "row"),
		d.WS.Keys.Key(PlaceValidation, ActionWords), d.WS.Keys.Key(PlaceValidation, ActionFailing))
}

// headOf draws the titles: an arrow at the column that rows are sorted by, the column at the cursor
// highlighted, and at the ends the number of hidden columns.
func (d *ValidationDialog) headOf(from, to, names int) string {
	st, v := &d.WS.Styles, d.Looked()
	columns := d.table().Columns
	cell := func(i, w int) string {
		c := &columns[i]
		s := c.Name
		if v.Order.Column == i {
			s += c.arrow(v.Order.Backward)
		}
		looks := st.Heading
		if i == v.Column {
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
	if (c.Figure < 0 || c.low) != backward {
		return "↑"
	}
	return "↓"
}

// drawn draws a row of the table.
func (d *ValidationDialog) drawn(line, from, to, names int) string {
	st, v := &d.WS.Styles, d.Looked()
	r := &d.table().Rows[v.Lines[line]]
	columns := d.table().Columns
	mark := "  "
	switch {
	case r.failed:
		mark = "✗ "
	case d.isFirst(r):
		mark = "! "
	}
	var b strings.Builder
	b.WriteString(cells.Fit(mark+cells.CutMiddle(columns[0].of(r), names-markWidth), names))
	for i := from; i < to; i++ {
		b.WriteString(" " + columns[i].fit(columns[i].of(r), columns[i].width))
	}
	s := cells.Fit(b.String(), d.w)
	switch {
	case line == v.Rows.Cursor:
		return st.Selected.On(s)
	case r.failed:
		return st.Bad.On(s)
	case !r.compared:
		return st.Faint.On(s)
	}
	return s
}

// told describes the row and the column at the cursor.
func (d *ValidationDialog) told() []string {
	v := d.Looked()
	c := &d.table().Columns[v.Column]
	var out []string
	if r := d.Row(); r != nil {
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
	return append(out, d.WS.Styles.Faint.On(cells.Cut(c.Name+": "+c.help+d.ofColumns(), d.w)))
}

// ofColumns returns the number of the column at the cursor, as in "; column 3 of 12".
func (d *ValidationDialog) ofColumns() string {
	return fmt.Sprintf("; column %d of %d", d.Looked().Column+1, len(d.table().Columns))
}

// Said implements shell.Pane.
func (d *ValidationDialog) Said() string {
	r := d.Row()
	if r == nil {
		if len(d.printed) > 0 {
			return d.Title() + "\n" + d.verdict + "\n" + strings.Join(d.printed, "\n")
		}
		return d.Title() + "\n" + d.emptiness()
	}
	v := d.Looked()
	words := r.told()
	for i := range d.table().Columns {
		if c := &d.table().Columns[i]; c.Figure >= 0 && c.tells(r) {
			words = append(words, c.Name+" "+c.of(r))
		}
	}
	return fmt.Sprintf("%s\n%s, row %d of %d, column %s", d.Title(), strings.Join(words, ", "), v.Rows.Cursor+1, v.Rows.N, d.table().Columns[v.Column].Name)
}
