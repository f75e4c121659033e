package workspace

import (
	"cmp"
	"slices"

	"lathe/tui/graph"
)

// counterpart is another model file that the person compares the model with.
type counterpart struct {
	path    string // may be ""
	isFirst bool   // whether it is model a of the comparison, which is the one to compare with
}

// CompareWith remembers the two models of a comparison that the person starts, so that later
// comparisons are proposed with the same other model. If both are models of this session, later
// comparisons are proposed with the model as it was opened.
func (ws *Workspace) CompareWith(a, b string) {
	isOwn := func(path string) bool {
		return slices.Contains([]string{"", ws.Options.Path, ws.Session.FileOf(ws.Session.Original()), ws.Called()}, path)
	}
	switch {
	case isOwn(a) && isOwn(b):
		ws.counterpart = counterpart{}
	case isOwn(a):
		ws.counterpart = counterpart{path: b}
	case isOwn(b):
		ws.counterpart = counterpart{path: a, isFirst: true}
	}
}

// Compared returns the two models that a person most likely wants to compare, as commands call them.
// They are the model as it is and the one that it was last compared with. If there is no such model,
// they are those of BeforeAndAfter.
func (ws *Workspace) Compared() (a, b string) {
	switch c := ws.counterpart; {
	case c.path == "":
		return ws.BeforeAndAfter()
	case c.isFirst:
		return c.path, ws.Called()
	default:
		return ws.Called(), c.path
	}
}

// Judged returns the two models of Compared for a validation: a model that had errors as it was opened is
// left out once they are fixed, because it does not run.
func (ws *Workspace) Judged() (a, b string) {
	a, b = ws.Compared()
	if before, after := ws.BeforeAndAfter(); ws.openedBroken && a == before && after != "" {
		a = ""
	}
	return a, b
}

// Measurable returns the models that a person most likely wants to measure, as commands call them: those
// of BeforeAndAfter. A model that had errors as it was opened is left out once they are fixed.
func (ws *Workspace) Measurable() []string {
	before, after := ws.BeforeAndAfter()
	if ws.openedBroken && after != "" {
		before = ""
	}
	return graph.Present([]string{before, after})
}

// BeforeAndAfter returns the model as it was opened and as it is, as commands call them. after is ""
// if there is nothing to propose.
func (ws *Workspace) BeforeAndAfter() (before, after string) {
	before, after = ws.Session.Compared()
	return before, cmp.Or(after, ws.Unsaved())
}
