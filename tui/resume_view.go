package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"lathe/session/journal"
	"lathe/tui/config"
	"lathe/tui/graph"
	"lathe/tui/theme"
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
func viewNow(ws *workspace) journal.View {
	v := journal.View{viewPlace: ws.outline.Place.Hops(), viewRow: {strconv.Itoa(ws.row())}, viewMarks: slices.Clone(ws.marks.names)}
	if !slices.Equal(ws.columns, ws.o.Settings.Columns) {
		v[viewColumns] = ws.columns
	}
	if o := ws.listing.order; o.Column != ws.o.Settings.Sort.Column || o.Descending != ws.o.Settings.Sort.Descending {
		v[viewSort] = []string{o.Column}
		if o.Descending {
			v[viewSort] = append(v[viewSort], descending)
		}
	}
	if g := ws.listing.order.Group; g != "" {
		v[viewGroup] = []string{g}
	}
	if ws.o.Settings.Theme != keepers.in(ws).theme {
		v[viewTheme] = []string{ws.o.Settings.Theme}
	}
	return v
}

// isUntouched reports whether the user has not done anything yet that restoring a view would
// disturb.
func isUntouched(ws *workspace) bool {
	return ws.session.Revision() == 0 && ws.row() == 0 && ws.outline.Place.ID == 0 && len(ws.marks.names) == 0 && !ws.span.on && !ws.found.isOn()
}

// restore shows a stored view. Entries that are unknown, or that do not fit the model, are ignored.
func restore(ws *workspace, v journal.View) tea.Cmd {
	if v == nil {
		return nil
	}
	restoreLooks(ws, v)
	place, err := ws.model().FindPlace(v[viewPlace])
	if err != nil {
		place = ws.model().Places()[0]
	}
	row, err := strconv.Atoi(first(v[viewRow]))
	if err != nil {
		row = 0
	}
	o := graph.NewOutline(ws.model(), place)
	cmd := ws.visit(graph.Spot{Place: place, Row: max(0, min(row, o.Len()-1))})
	ws.marks.names = v[viewMarks]
	ws.keepMarks()
	return tea.Batch(cmd, ws.reorder(ws.listing.order), ws.previewPrune())
}

func restoreLooks(ws *workspace, v journal.View) {
	known := func(name string) bool { return graph.ColumnNamed(name) != nil }
	if c := slices.DeleteFunc(slices.Clone(v[viewColumns]), func(n string) bool { return !known(n) }); slices.Contains(c, "name") {
		ws.columns = slices.Compact(c)
	}
	o := &ws.listing.order
	if s := v[viewSort]; len(s) > 0 && (known(s[0]) || s[0] == "") {
		o.Column, o.Descending = s[0], slices.Contains(s[1:], descending)
	}
	if g := first(v[viewGroup]); known(g) {
		o.Group = g
	}
	if t := first(v[viewTheme]); slices.Contains(config.Themes, t) && t != config.ThemeAuto && !ws.o.NoColor {
		ws.o.Settings.Theme = t
		ws.styles = theme.StylesOf(theme.Name(t))
	}
}
