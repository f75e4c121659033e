package tui

import (
	"slices"
	"strings"

	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

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
func extraColumns(ws *workspace) []*graph.Column {
	var out []*graph.Column
	for _, name := range ws.columns {
		if c := graph.ColumnNamed(name); c != nil && c.Width > 0 {
			out = append(out, c)
		}
	}
	// Show the column that rows are sorted by; otherwise their order would be unclear.
	if c := graph.ColumnNamed(ws.listing.order.Column); c != nil && c.Width > 0 && !showsColumn(ws, c.Name) {
		out = slices.Insert(out, 0, c)
	}
	return out
}

// swatch returns cells in the color of a position on a color scale, or blanks if it is -1. Without
// colors it uses characters.
func swatch(ws *workspace, step int) string {
	if step < 0 {
		return cells.Blanks(graph.SwatchWidth)
	}
	if ws.o.Settings.ASCII || ws.styles.Heat[theme.HeatSteps-1] == "" {
		return " " + strings.Repeat(plot.Shades[step], graph.SwatchWidth-1)
	}
	return " " + ws.styles.Heat[step].On(cells.Blanks(graph.SwatchWidth-1))
}
