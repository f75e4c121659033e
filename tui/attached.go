package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/shell"
)

// attached is what every dialog has: the workspace, which also leads to the workbench around it.
type attached struct{ ws *workspace }

func (d attached) Desk() shell.Host { return d.ws.host }

func (d attached) Help() tea.Cmd { return d.ws.host.Help() }
