package tui

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
	viewPlace   = "place"
	viewRow     = "row"
	viewMarks   = "marks"
	viewColumns = "columns"
	viewSort    = "sort"
	viewGroup   = "group"
	viewTheme   = "theme"
)

// descending is stored after the name of a column by which rows are sorted from large to small.
const descending = "descending"

// viewNow returns the current view.
func viewNow(ws *workspace.Workspace) journal.View {
	v := journal.View{viewPlace: ws.Outline.Place.Hops(), viewRow: {strconv.Itoa(ws.Row())}, viewMarks: slices.Clone(ws.Marks.Names)}
	if !slices.Equal(ws.Columns, ws.Options.Settings.Columns) {
		v[viewColumns] = ws.Columns
	}
	if o := ws.Listing.Order; o.Column != ws.Options.Settings.Sort.Column || o.Descending != ws.Options.Settings.Sort.Descending {
		v[viewSort] = []string{o.Column}
		if o.Descending {
			v[viewSort] = append(v[viewSort], descending)
		}
	}
	if g := ws.Listing.Order.Group; g != "" {
		v[viewGroup] = []string{g}
	}
	if ws.Options.Settings.Theme != keepers.In(ws).theme {
		v[viewTheme] = []string{ws.Options.Settings.Theme}
	}
	return v
}

// isUntouched reports whether the user has not done anything yet that restoring a view would
// disturb.
func isUntouched(ws *workspace.Workspace) bool {
	return ws.Session.Revision() == 0 && ws.Row() == 0 && ws.Outline.Place.ID == 0 && len(ws.Marks.Names) == 0 && !ws.Span.On && !ws.Found.IsOn()
}

// restore shows a stored view. Entries that are unknown, or that do not fit the model, are ignored.
func restore(ws *workspace.Workspace, v journal.View) tea.Cmd {
	if v == nil {
		return nil
	}
	restoreLooks(ws, v)
	place, err := ws.Model().FindPlace(v[viewPlace])
	if err != nil {
		place = ws.Model().Places()[0]
	}
	row, err := strconv.Atoi(workspace.First(v[viewRow]))
	if err != nil {
		row = 0
	}
	o := graph.NewOutline(ws.Model(), place)
	cmd := ws.Visit(graph.Spot{Place: place, Row: max(0, min(row, o.Len()-1))})
	ws.Marks.Names = v[viewMarks]
	ws.KeepMarks()
	return tea.Batch(cmd, ws.Reorder(ws.Listing.Order), ws.PreviewPrune())
}

func restoreLooks(ws *workspace.Workspace, v journal.View) {
	known := func(name string) bool { return graph.ColumnNamed(name) != nil }
	if c := slices.DeleteFunc(slices.Clone(v[viewColumns]), func(n string) bool { return !known(n) }); slices.Contains(c, "name") {
		ws.Columns = slices.Compact(c)
	}
	o := &ws.Listing.Order
	if s := v[viewSort]; len(s) > 0 && (known(s[0]) || s[0] == "") {
		o.Column, o.Descending = s[0], slices.Contains(s[1:], descending)
	}
	if g := workspace.First(v[viewGroup]); known(g) {
		o.Group = g
	}
	if t := workspace.First(v[viewTheme]); slices.Contains(config.Themes, t) && t != config.ThemeAuto && !ws.Options.NoColor {
		ws.Options.Settings.Theme = t
		ws.Styles = theme.StylesOf(theme.Name(t))
	}
}
