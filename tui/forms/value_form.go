package forms

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/values"
	"lathe/tui/workspace"
)

// OpenValueForm opens the form with the options for computing values.
func OpenValueForm(ws *workspace.Workspace) tea.Cmd {
	return openFormOf(ws, values.NewStep(ws), nil)
}
