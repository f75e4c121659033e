package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

func showRun(ws *workspace, s *valueStep) tea.Cmd {
	ws.host.Look(placeTensor)
	return runValue(ws, s)
}

func showRefusal(ws *workspace) string { return valueRefusal(ws, ws.row()) }

// takeValueForm runs with the options of the form.
func takeValueForm(ws *workspace, s *valueStep) tea.Cmd {
	v := valuesOf(ws)
	v.call = session.CallOf(s)
	if n := len(ws.jobs.list); n > 0 {
		v.callAfter = ws.jobs.list[n-1].ID
	}
	return showRun(ws, s)
}
