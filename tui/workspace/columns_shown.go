package workspace

import (
	"fmt"
	"slices"
	"strings"

	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/plot"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// ToggleColumn adds a column after the visible ones, or hides it.
func ToggleColumn(ws *Workspace, name string) {
	if i := slices.Index(ws.Columns, name); i >= 0 {
		ws.Columns = slices.Delete(slices.Clone(ws.Columns), i, i+1)
		return
	}
	ws.Columns = append(slices.Clone(ws.Columns), name)
}

// ColumnSaid says whether a column is visible.
func ColumnSaid(ws *Workspace, name string) string {
	if ShowsColumn(ws, name) {
		return fmt.Sprintf("%s is a column of the list; if it has no room, %s shows the list alone", name, ws.Keys.Key(shell.PlaceMain, ActionZoom))
	}
	return "the list no longer shows the column " + name
}

// ShowsColumn reports whether the list shows a column.
func ShowsColumn(ws *Workspace, name string) bool { return slices.Contains(ws.Columns, name) }

// ExtraColumns returns the chosen columns that have a fixed width, and the column by which rows are
// sorted.
func ExtraColumns(ws *Workspace) []*graph.Column {
	var out []*graph.Column
	for _, name := range ws.Columns {
		if c := graph.ColumnNamed(name); c != nil && c.Width > 0 {
			out = append(out, c)
		}
	}
	// Show the column that rows are sorted by; otherwise their order would be unclear.
	if c := graph.ColumnNamed(ws.Listing.Order.Column); c != nil && c.Width > 0 && !ShowsColumn(ws, c.Name) {
		out = slices.Insert(out, 0, c)
	}
	return out
}

// Swatch returns cells in the color of a position on a color scale, or blanks if it is -1. Without
// colors it uses characters.
func Swatch(ws *Workspace, step int) string {
	if step < 0 {
		return cells.Blanks(graph.SwatchWidth)
	}
	if ws.Options.Settings.ASCII || ws.Styles.Heat[theme.HeatSteps-1] == "" {
		return " " + strings.Repeat(plot.Shades[step], graph.SwatchWidth-1)
	}
	return " " + ws.Styles.Heat[step].On(cells.Blanks(graph.SwatchWidth-1))
}
