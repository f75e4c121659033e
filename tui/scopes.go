package tui

import (
	"strings"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/tui/cells"
)

// moduleTree is the tree of modules of a place. It takes a moment on a large
// model, so a command builds it, and what draws asks for what is known.
type moduleTree struct {
	once sync.Once
	tree atomic.Pointer[scope.Tree]
}

// build is the tree, made at the first call.
func (m *moduleTree) build(p *graphops.Place) *scope.Tree {
	m.once.Do(func() { m.tree.Store(scope.BuildPlace(p)) })
	return m.tree.Load()
}

// known is the tree, nil until it is built.
func (m *moduleTree) known() *scope.Tree { return m.tree.Load() }

// modulesMsg brings the modules of an outline.
type modulesMsg struct {
	outline *outline
	tree    *scope.Tree
}

// readModules finds the modules of the place that shows.
func (ws *workspace) readModules() tea.Cmd {
	w := ws.wiring
	return guarded("reading the modules", func() tea.Msg {
		return modulesMsg{w.outline, w.modules.build(w.outline.place)}
	})
}

// take implements answer: the modules of the outline that shows.
func (m modulesMsg) take(a *App) tea.Cmd {
	ws := a.ws
	if m.outline == ws.outline {
		ws.modules = m.tree
		ws.hasModules = !m.tree.IsFlat() || len(ws.model().Places()) > 1
		return ws.sumModules()
	}
	return nil
}

// prepareModules makes the columns of modules tell something.
func (w *wiring) prepareModules() { w.modules.build(w.outline.place) }

// scopeOf is the module that the node in a row stands in; false for other rows
// and while modules are not known.
func (w *wiring) scopeOf(row int) (*scope.Tree, scope.ID, bool) {
	t := w.modules.known()
	if t == nil || w.outline.node(row) == nil {
		return nil, scope.Root, false
	}
	_, i := w.outline.at(row)
	return t, t.Find(i), true
}

// moduleText is the path of a row's module, safe to print; "" for the root, as
// where names tell no modules.
func (w *wiring) moduleText(row int) string {
	t, s, ok := w.scopeOf(row)
	if !ok || s == scope.Root {
		return ""
	}
	return cells.Label(t.Path(s))
}

// alikeText is the same path with one name for what is folded: attention of
// every layer is /layers.*/attention.
func (w *wiring) alikeText(row int) string {
	t, s, ok := w.scopeOf(row)
	if !ok || s == scope.Root {
		return ""
	}
	return cells.Label(alikePath(t, s))
}

// alikePath is a scope's path with the patterns of folds for their members.
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
