package values

import (
	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/workspace"
)

// ShowRun shows the tensor pane and runs the model up to the selected row.
func ShowRun(ws *workspace.Workspace, s *Step) tea.Cmd {
	ws.Host.Look(workspace.PlaceTensor)
	return runValue(ws, s)
}

// ShowRefusal says why the values of the selected row cannot be computed, or "".
func ShowRefusal(ws *workspace.Workspace) string { return valueRefusal(ws, ws.Row()) }

// TakeValueForm runs with the options of the form.
func TakeValueForm(ws *workspace.Workspace, s *Step) tea.Cmd {
	v := Of(ws)
	v.call = session.CallOf(s)
	if n := len(ws.Jobs.List); n > 0 {
		v.callAfter = ws.Jobs.List[n-1].ID
	}
	return ShowRun(ws, s)
}
