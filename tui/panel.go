package tui

import (
	"lathe/tui/actions"
	"lathe/tui/shell"
)

// panel describes a pane: its place in the key table, its title, its region of the screen, its
// actions, and how to make it.
type panel struct {
	place   actions.Place
	title   string
	region  shell.Region
	actions []actions.Action
	make    func(*workspace) shell.Pane
}
