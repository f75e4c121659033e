package workspace

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/shell"
)

// Attached is what every dialog has: the workspace, which also leads to the workbench around it.
type Attached struct{ WS *Workspace }

// Desk returns the workbench around the dialog.
func (d Attached) Desk() shell.Host { return d.WS.Host }

// Help opens the help for the dialog.
func (d Attached) Help() tea.Cmd { return d.WS.Host.Help() }
