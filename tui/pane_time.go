package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// timePanel describes a pane that shows when the workbench was drawn.
func timePanel() workspace.Panel {
	return workspace.Panel{Place: "time", Title: "time", Region: shell.RegionRight, Make: func(ws *workspace.Workspace) shell.Pane { return &timePane{ws: ws} }}
}

type timePane struct {
	ws   *workspace.Workspace
	w, h int
}

func (p *timePane) Place() actions.Place { return "time" }

func (p *timePane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	return nil
}
func (p *timePane) View(bool) []string { return cells.Block([]string{p.Said()}, p.w, p.h) }
func (p *timePane) Said() string       { return p.ws.Options.Now().Format("15:04:05") }
