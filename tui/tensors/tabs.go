package tensors

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/workspace"
)

// TensorView is a way to look at a tensor.
type TensorView int

// The views.
const (
	ViewStatistics TensorView = iota
	ViewHistogram
	viewHeat
	ViewElements
	viewEqual
	tensorViews // how many there are
)

// tensorTabs name the views, with the actions and keys that lead there.
var tensorTabs = [tensorViews]struct {
	action           actions.Name
	title, help, key string
}{
	ViewStatistics: {"statistics", "statistics", "statistics", "S"},
	ViewHistogram:  {"histogram", "histogram", "histogram", "H"},
	viewHeat:       {ActionHeatMap, "heat map", "heat map", "T"},
	ViewElements:   {ActionElements, "elements", "the elements themselves", "E"},
	viewEqual:      {ActionEqual, "equal", "tensors of the model that are equal", "D"},
}

// tabs draws the names of the views and their keys; if not all fit, only the current one keeps its
// name.
func (p *Pane) tabs() string {
	var out string
	for v := range tensorViews {
		looks := p.ws.Styles.Faint
		if v == p.Shown {
			looks = p.ws.Styles.Idle
		}
		out += looks.On(" " + p.tab(v, p.tabsFit()) + " ")
	}
	return cells.Cut(out, p.w)
}

func (p *Pane) tab(v TensorView, full bool) string {
	key := p.ws.Keys.Key(workspace.PlaceTensor, tensorTabs[v].action)
	if full || v == p.Shown {
		return strings.TrimSpace(key + " " + tensorTabs[v].title)
	}
	return key
}

// tabsFit reports whether all tabs fit with their names.
func (p *Pane) tabsFit() bool {
	n := 0
	for v := range tensorViews {
		n += cells.Width(p.tab(v, true)) + 2
	}
	return n <= p.w
}

// TabAt returns where the tab of a view is.
func (p *Pane) TabAt(wanted TensorView) (from, to int) {
	for v := range wanted {
		from += cells.Width(p.tab(v, p.tabsFit())) + 2
	}
	return from, from + cells.Width(p.tab(wanted, p.tabsFit())) + 2
}
