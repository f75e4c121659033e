package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/theme"
)

// These methods implement host.

func (a *App) Open(d shell.Dialog)    { a.dialogs.Open(d) }
func (a *App) Close(d shell.Dialog)   { a.dialogs.Close(d) }
func (a *App) Top() shell.Dialog      { return a.dialogs.Top() }
func (a *App) Opened() []shell.Dialog { return a.dialogs }
func (a *App) Focus() actions.Place   { return a.focused().Place() }
func (a *App) Width() int             { return a.w }
func (a *App) DropKeys()              { a.ahead = nil }

func (a *App) Unzoom() bool {
	was := a.zoom
	a.zoom = false
	return was
}

func (a *App) PerformMain(name actions.Name) tea.Cmd {
	return a.run(a.ws.Keys.Find(shell.PlaceMain, name), a)
}

func (a *App) Tasks() *task.Runner { return a.ws.Tasks }

func (a *App) Styles() theme.Styles { return a.ws.Styles }
