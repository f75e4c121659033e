package tui

// span is the range of lines that a person is selecting. It reaches from the line where the
// selection began to the cursor.
type span struct {
	on   bool
	from int // the line of the list where the selection began
}

// spanLines returns the first and the last line of the range.
func (ws *workspace) spanLines() (from, to int) {
	return min(ws.span.from, ws.rows.Cursor), max(ws.span.from, ws.rows.Cursor)
}

// inSpan reports whether a line is in the range.
func (ws *workspace) inSpan(line int) bool {
	from, to := ws.spanLines()
	return ws.span.on && line >= from && line <= to
}

// chosen returns the rows of the range, or else the selected row.
func (ws *workspace) chosen() []int {
	if !ws.span.on {
		return []int{ws.row()}
	}
	var out []int
	from, to := ws.spanLines()
	for line := from; line <= to; line++ {
		if ws.groupAt(line) == nil {
			out = append(out, ws.rowAt(line))
		}
	}
	return out
}
