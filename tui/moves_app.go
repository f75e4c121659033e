package tui

import tea "charm.land/bubbletea/v2"

// turn moves the focus to the next or the previous pane.
func turn(by int) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd {
		n := len(a.members)
		a.Look(a.members[(a.at+by+n)%n].Panel.Place)
		return nil
	}
}

func (a *App) toggleZoom() tea.Cmd {
	a.zoom = !a.zoom
	return nil
}
