package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/workspace"
)

func showRun(ws *workspace.Workspace, s *valueStep) tea.Cmd {
	ws.Host.Look(workspace.PlaceTensor)
	return runValue(ws, s)
}

func showRefusal(ws *workspace.Workspace) string { return valueRefusal(ws, ws.Row()) }

// takeValueForm runs with the options of the form.
func takeValueForm(ws *workspace.Workspace, s *valueStep) tea.Cmd {
	v := valuesOf(ws)
	v.call = session.CallOf(s)
	if n := len(ws.Jobs.List); n > 0 {
		v.callAfter = ws.Jobs.List[n-1].ID
	}
	return showRun(ws, s)
}
