package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops/scope"
	"lathe/tui/cells"
	"lathe/tui/list"
)

const placeModules place = "modules"

var modulesPanel = panel{
	place: placeModules, title: "modules", region: regionLeft, keys: movable(),
	make: func(a *App) pane { return &modulesPane{app: a, ws: a.ws} },
}

// modulesPane is the tree of modules that the nodes of the place stand in.
type modulesPane struct {
	app  *App
	ws   *workspace
	rows list.Window
	w, h int
}

// modulesMsg brings the modules of an outline.
type modulesMsg struct {
	outline *outline
	tree    *scope.Tree
}

// readModules finds the modules of the place that shows.
func (ws *workspace) readModules() tea.Cmd {
	o := ws.outline
	return guarded("reading the modules", func() tea.Msg { return modulesMsg{o, scope.Build(o.place.Graph)} })
}

func (m modulesMsg) take(a *App) tea.Cmd {
	if m.outline == a.ws.outline {
		a.ws.modules = m.tree
	}
	return nil
}

// hasModules reports whether the place has a tree worth its part of the screen.
func (ws *workspace) hasModules() bool { return ws.modules != nil && !ws.modules.IsFlat() }

func (p *modulesPane) place() place          { return placeModules }
func (p *modulesPane) refusal(action) string { return "" }

func (p *modulesPane) do(a action) tea.Cmd {
	p.rows.Act(list.Motion(a))
	return nil
}

func (p *modulesPane) sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.rows.Resize(h)
	return nil
}

func (p *modulesPane) view(bool) []string { return cells.Block(nil, p.w, p.h) }
func (p *modulesPane) said() string       { return "" }
