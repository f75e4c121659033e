package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops/filter"
	"lathe/graphops/scope"
)

// pathOf is the path of a line of the tree: of a fold what finds its members and
// nothing else.
func pathOf(t *scope.Tree, b branch) string {
	if b.fold < 0 {
		return t.Path(b.scope)
	}
	f := &t.Folds[b.fold]
	around := t.Path(t.Scopes[b.scope].Parent)
	if around != "/" {
		around += "/"
	}
	if found, err := t.Match(around + f.Pattern); err == nil && len(found) == len(f.Members) {
		return around + f.Pattern
	}
	return around + f.Label
}

// inScope are the characters that end a path in a filter, or mean more than
// themselves.
const inScope = " \t\r\n\"|()[],"

// insideOf is the filter for what stands in a line of the tree.
func (ws *workspace) insideOf(t *scope.Tree, b branch) string {
	return "in:" + filter.Quote(pathOf(t, b), inScope)
}

// toggleOnly lists what a filter holds for and nothing else; the same filter
// again ends that.
func (ws *workspace) toggleOnly(query string) tea.Cmd {
	if ws.listing.order.only && ws.found.query == query {
		return ws.find("", false)
	}
	ws.found.origin = ws.here()
	ws.listing.order.only = true
	return ws.find(query, false)
}
