package graph

import (
	"strings"
	"sync"
	"sync/atomic"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/tui/cells"
)

// moduleTree is the tree of modules of a place. It is built in the background, because that takes a
// moment for a large model. Code that draws uses known, which never waits.
type moduleTree struct {
	once sync.Once
	tree atomic.Pointer[scope.Tree]
}

// Build returns the tree, and builds it on the first call.
func (m *moduleTree) Build(p *graphops.Place) *scope.Tree {
	m.once.Do(func() { m.tree.Store(scope.BuildPlace(p)) })
	return m.tree.Load()
}

// Known returns the tree, or nil until it is built.
func (m *moduleTree) known() *scope.Tree { return m.tree.Load() }

// prepareModules builds the tree of modules, which the columns "module" and "alike" read.
func (w *Wiring) prepareModules() { w.Modules.Build(w.Outline.Place) }

// scopeOf returns the module of the node in a row; false for other rows and while modules are not
// known.
func (w *Wiring) scopeOf(row int) (*scope.Tree, scope.ID, bool) {
	t := w.Modules.known()
	if t == nil || w.Outline.Node(row) == nil {
		return nil, scope.Root, false
	}
	_, i := w.Outline.At(row)
	return t, t.Find(i), true
}

// moduleText returns the path of a row's module, safe to print. It is "" for nodes that belong to
// no module.
func (w *Wiring) moduleText(row int) string {
	t, s, ok := w.scopeOf(row)
	if !ok || s == scope.Root {
		return ""
	}
	return cells.Label(t.Path(s))
}

// alikeText returns the path of a row's module, in which a pattern replaces the number of a
// repeated module. The attention of every layer has the path /layers.*/attention, so that rows can
// be grouped by it.
func (w *Wiring) alikeText(row int) string {
	t, s, ok := w.scopeOf(row)
	if !ok || s == scope.Root {
		return ""
	}
	return cells.Label(alikePath(t, s))
}

// alikePath returns the path of a scope. Each scope that is a member of a fold is replaced by the
// pattern of the fold.
func alikePath(t *scope.Tree, s scope.ID) string {
	var names [scope.MaxDepth]string
	at := len(names)
	for ; s != scope.Root && at > 0; s = t.Scopes[s].Parent {
		at--
		names[at] = t.Scopes[s].Name
		if f := t.Scopes[s].Fold; f >= 0 {
			names[at] = t.Folds[f].Pattern
		}
	}
	return "/" + strings.Join(names[at:], "/")
}
