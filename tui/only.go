package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops/filter"
	"lathe/graphops/scope"
)

// pathOf returns the path of a line of the tree; for a fold, a path that matches its members and
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

// inScope lists the characters that end a path in a filter or have a special meaning in it.
const inScope = " \t\r\n\"|()[],"

// insideOf returns the filter for what is inside a line of the tree.
func (ws *workspace) insideOf(t *scope.Tree, b branch) string {
	return "in:" + filter.Quote(pathOf(t, b), inScope)
}

// toggleOnly lists only the rows that match a filter; the same filter again shows all rows.
func (ws *workspace) toggleOnly(query string) tea.Cmd {
	if ws.listing.order.only && ws.found.query == query {
		return ws.find("", false)
	}
	ws.found.origin = ws.here()
	ws.listing.order.only = true
	return ws.find(query, false)
}
