package tui

import tea "charm.land/bubbletea/v2"

// host is what panes, dialogs and the workspace may do with the workbench around them. App is the
// only implementation.
type host interface {
	// open opens a dialog above the others, and close closes it.
	open(d dialog)
	close(d dialog)
	// top returns the dialog that gets the keys, or nil. opened returns all open dialogs, the topmost
	// one last.
	top() dialog
	opened() []dialog
	// look moves the focus to a pane. focus returns the place of the pane that has it.
	look(p place)
	focus() place
	// perform performs an action of a pane, a dialog or the main screen, or says why it is not
	// possible.
	perform(p pane, name action) tea.Cmd
	performMain(name action) tea.Cmd
	// help opens the help for the dialog on top, or else for the focused pane.
	help() tea.Cmd
	// unzoom shows all panes again. It returns false if they are shown.
	unzoom() bool
	// width is the width of the screen.
	width() int
	// dropKeys drops the keys that wait for the answer of a filter.
	dropKeys()
}

func (a *App) open(d dialog)    { a.dialogs.open(d) }
func (a *App) close(d dialog)   { a.dialogs.close(d) }
func (a *App) top() dialog      { return a.dialogs.top() }
func (a *App) opened() []dialog { return a.dialogs }
func (a *App) focus() place     { return a.focused().place() }
func (a *App) width() int       { return a.w }
func (a *App) dropKeys()        { a.ahead = nil }

func (a *App) unzoom() bool {
	was := a.zoom
	a.zoom = false
	return was
}

func (a *App) performMain(name action) tea.Cmd { return a.run(a.ws.keys.Find(placeMain, name), a) }
