package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/values"
	"lathe/tui/workspace"
)

// openValueForm opens the form with the options for computing values.
func openValueForm(ws *workspace.Workspace) tea.Cmd {
	return openFormOf(ws, values.NewValueStep(ws), nil)
}
