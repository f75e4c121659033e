package tui

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/workspace"
)

// tensorView is a way to look at a tensor.
type tensorView int

// The views.
const (
	viewStatistics tensorView = iota
	viewHistogram
	viewHeat
	viewElements
	viewEqual
	tensorViews // how many there are
)

// tensorTabs name the views, with the actions and keys that lead there.
var tensorTabs = [tensorViews]struct {
	action           actions.Name
	title, help, key string
}{
	viewStatistics: {"statistics", "statistics", "statistics", "S"},
	viewHistogram:  {"histogram", "histogram", "histogram", "H"},
	viewHeat:       {actionHeatMap, "heat map", "heat map", "T"},
	viewElements:   {actionElements, "elements", "the elements themselves", "E"},
	viewEqual:      {actionEqual, "equal", "tensors of the model that are equal", "D"},
}

// tabs draws the names of the views and their keys; if not all fit, only the current one keeps its
// name.
func (p *tensorPane) tabs() string {
	var out string
	for v := range tensorViews {
		looks := p.ws.Styles.Faint
		if v == p.shown {
			looks = p.ws.Styles.Idle
		}
		out += looks.On(" " + p.tab(v, p.tabsFit()) + " ")
	}
	return cells.Cut(out, p.w)
}

func (p *tensorPane) tab(v tensorView, full bool) string {
	key := p.ws.Keys.Key(workspace.PlaceTensor, tensorTabs[v].action)
	if full || v == p.shown {
		return strings.TrimSpace(key + " " + tensorTabs[v].title)
	}
	return key
}

// tabsFit reports whether all tabs fit with their names.
func (p *tensorPane) tabsFit() bool {
	n := 0
	for v := range tensorViews {
		n += cells.Width(p.tab(v, true)) + 2
	}
	return n <= p.w
}

// tabAt returns where the tab of a view is.
func (p *tensorPane) tabAt(wanted tensorView) (from, to int) {
	for v := range wanted {
		from += cells.Width(p.tab(v, p.tabsFit())) + 2
	}
	return from, from + cells.Width(p.tab(wanted, p.tabsFit())) + 2
}
