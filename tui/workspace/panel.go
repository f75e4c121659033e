package workspace

import (
	"lathe/tui/actions"
	"lathe/tui/shell"
)

// Panel describes a pane: its place in the key table, its title, its region of the screen, its
// actions, and how to make it.
type Panel struct {
	Place   actions.Place
	Title   string
	Region  shell.Region
	Actions []actions.Action
	Make    func(*Workspace) shell.Pane
}
