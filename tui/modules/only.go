package modules

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops/filter"
	"lathe/graphops/scope"
	"lathe/tui/workspace"
)

// PathOf returns the path of a module, as it is written in a filter. For a fold of similar modules,
// it returns a pattern that matches exactly its members.
func PathOf(t *scope.Tree, b branch) string {
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

// InsideOf returns the filter for the nodes inside a module or fold, such as in:/layers.2.
func InsideOf(ws *workspace.Workspace, t *scope.Tree, b branch) string {
	return "in:" + filter.Quote(PathOf(t, b), inScope)
}

// toggleOnly makes the list show only the rows that match a filter. If it already does, all rows
// are shown again.
func toggleOnly(ws *workspace.Workspace, query string) tea.Cmd {
	if ws.Listing.Order.Only && ws.Found.Query == query {
		return ws.Find("", false)
	}
	ws.Found.Origin = ws.Here()
	ws.Listing.Order.Only = true
	return ws.Find(query, false)
}
