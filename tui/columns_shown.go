package tui

import "slices"

// toggleColumn adds a column after the visible ones, or hides it.
func toggleColumn(ws *workspace, name string) {
	if i := slices.Index(ws.columns, name); i >= 0 {
		ws.columns = slices.Delete(slices.Clone(ws.columns), i, i+1)
		return
	}
	ws.columns = append(slices.Clone(ws.columns), name)
}

// columnSaid says whether a column is visible.
func columnSaid(ws *workspace, name string) string {
	if showsColumn(ws, name) {
		return "the list shows the column " + name
	}
	return "the list no longer shows the column " + name
}

func showsColumn(ws *workspace, name string) bool { return slices.Contains(ws.columns, name) }

// extraColumns returns the chosen columns that have a fixed width, and the column by which rows are
// sorted.
func extraColumns(ws *workspace) []*column {
	var out []*column
	for _, name := range ws.columns {
		if c := columnNamed(name); c != nil && c.width > 0 {
			out = append(out, c)
		}
	}
	// Show the column that rows are sorted by; otherwise their order would be unclear.
	if c := columnNamed(ws.listing.order.column); c != nil && c.width > 0 && !showsColumn(ws, c.name) {
		out = slices.Insert(out, 0, c)
	}
	return out
}
