package resume

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"lathe/session/journal"
	"lathe/tui/config"
	"lathe/tui/graph"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// The keys under which a view is stored. What the settings file determines is stored only if it was
// changed.
const (
	ViewPlace   = "place"
	ViewRow     = "row"
	ViewName    = "name" // of the row
	ViewMarks   = "marks"
	ViewColumns = "columns"
	ViewSort    = "sort"
	ViewGroup   = "group"
	ViewTheme   = "theme"
)

// descending is stored after the name of a column by which rows are sorted from large to small.
const descending = "descending"

// viewNow returns the current view.
func viewNow(ws *workspace.Workspace) journal.View {
	v := journal.View{
		ViewPlace: ws.Outline.Place.Hops(), ViewRow: {strconv.Itoa(ws.Row())}, ViewMarks: slices.Clone(ws.Marks.Names),
	}
	if ws.Outline.Len() > 0 {
		v[ViewName] = []string{ws.Outline.Name(ws.Row())}
	}
	if !slices.Equal(ws.Columns, ws.Options.Settings.Columns) {
		v[ViewColumns] = ws.Columns
	}
	if o := ws.Listing.Order; o.Column != ws.Options.Settings.Sort.Column || o.Descending != ws.Options.Settings.Sort.Descending {
		v[ViewSort] = []string{o.Column}
		if o.Descending {
			v[ViewSort] = append(v[ViewSort], descending)
		}
	}
	if g := ws.Listing.Order.Group; g != "" {
		v[ViewGroup] = []string{g}
	}
	if ws.Options.Settings.Theme != Keepers.In(ws).theme {
		v[ViewTheme] = []string{ws.Options.Settings.Theme}
	}
	return v
}

// isUntouched reports whether the user has not done anything yet that restoring a view would
// disturb.
func isUntouched(ws *workspace.Workspace) bool {
	return ws.Session.Revision() == 0 && ws.Row() == 0 && ws.Outline.Place.ID == 0 && len(ws.Marks.Names) == 0 && !ws.Span.On && !ws.Found.IsOn()
}

// Restore shows a stored view. Entries that are unknown, or that do not fit the model, are ignored.
func Restore(ws *workspace.Workspace, v journal.View) tea.Cmd {
	if v == nil {
		return nil
	}
	restoreLooks(ws, v)
	place, err := ws.Model().FindPlace(v[ViewPlace])
	if err != nil {
		place = ws.Model().Places()[0]
	}
	cmd := ws.Visit(graph.Spot{Place: place, Row: storedRow(graph.NewOutline(ws.Model(), place), v)})
	ws.Marks.Names = v[ViewMarks]
	ws.KeepMarks()
	return tea.Batch(cmd, ws.Reorder(ws.Listing.Order), ws.PreviewPrune())
}

// storedRow returns the row of a stored view. If the model has changed, it is the row with the name
// that was stored, or else the first row.
func storedRow(o *graph.Outline, v journal.View) int {
	row, err := strconv.Atoi(workspace.First(v[ViewRow]))
	name := workspace.First(v[ViewName])
	if err == nil && row >= 0 && row < o.Len() && (name == "" || o.Name(row) == name) {
		return row
	}
	for i := range o.Len() {
		if name != "" && o.Name(i) == name {
			return i
		}
	}
	return 0
}

func restoreLooks(ws *workspace.Workspace, v journal.View) {
	known := func(name string) bool { return graph.ColumnNamed(name) != nil }
	if c := slices.DeleteFunc(slices.Clone(v[ViewColumns]), func(n string) bool { return !known(n) }); slices.Contains(c, "name") {
		ws.Columns = slices.Compact(c)
	}
	o := &ws.Listing.Order
	if s := v[ViewSort]; len(s) > 0 && (known(s[0]) || s[0] == "") {
		o.Column, o.Descending = s[0], slices.Contains(s[1:], descending)
	}
	if g := workspace.First(v[ViewGroup]); known(g) {
		o.Group = g
	}
	if t := workspace.First(v[ViewTheme]); slices.Contains(config.Themes, t) && t != config.ThemeAuto && !ws.Options.NoColor {
		ws.Options.Settings.Theme = t
		ws.Styles = theme.StylesOf(theme.Name(t))
	}
}
