package shell

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/task"
	"lathe/tui/theme"
)

// Host is what panes, dialogs and the workspace may do with the workbench around them. tui.App is the
// only implementation.
type Host interface {
	// Open opens a dialog above the others, and Close closes it.
	Open(d Dialog)
	Close(d Dialog)
	// Top returns the dialog that gets the keys, or nil. Opened returns all open dialogs, the topmost
	// one last.
	Top() Dialog
	Opened() []Dialog
	// Look moves the focus to a pane. Focus returns the place of the pane that has it.
	Look(p actions.Place)
	Focus() actions.Place
	// Perform performs an action of a pane, a dialog or the main screen, or says why it is not
	// possible.
	Perform(p Pane, name actions.Name) tea.Cmd
	PerformMain(name actions.Name) tea.Cmd
	// Help opens the help for the dialog on top, or else for the focused pane.
	Help() tea.Cmd
	// Unzoom shows all panes again. It returns false if they are shown.
	Unzoom() bool
	// Tasks is where questions are answered in the background.
	Tasks() *task.Runner
	// Styles are the colours of the present theme.
	Styles() theme.Styles
	// Width is the width of the screen.
	Width() int
	// DropKeys drops the keys that wait for the answer of a filter.
	DropKeys()
}

// hosting is what a dialog has that needs nothing but the workbench around it.
type hosting struct{ host Host }

// Desk returns the workbench around the dialog.
func (d hosting) Desk() Host { return d.host }

// Help opens the help for the dialog.
func (d hosting) Help() tea.Cmd { return d.host.Help() }
