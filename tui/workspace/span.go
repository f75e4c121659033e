package workspace

// Span is the range of lines that a person is selecting. It reaches from the line where the
// selection began to the cursor.
type Span struct {
	On   bool
	From int // the line of the list where the selection began
}

// SpanLines returns the first and the last line of the range.
func (ws *Workspace) SpanLines() (from, to int) {
	return min(ws.Span.From, ws.Rows.Cursor), max(ws.Span.From, ws.Rows.Cursor)
}

// InSpan reports whether a line is in the range.
func (ws *Workspace) InSpan(line int) bool {
	from, to := ws.SpanLines()
	return ws.Span.On && line >= from && line <= to
}

// Chosen returns the rows of the range, or else the selected row.
func (ws *Workspace) Chosen() []int {
	if !ws.Span.On {
		return []int{ws.Row()}
	}
	var out []int
	from, to := ws.SpanLines()
	for line := from; line <= to; line++ {
		if ws.GroupAt(line) == nil {
			out = append(out, ws.RowAt(line))
		}
	}
	return out
}
