package tui

import tea "charm.land/bubbletea/v2"

// ahead are keys that were typed after a filter whose search is still running. They are meant for
// the rows that the search will find, and must not act on the row that was selected before. Over a
// slow connection `/name`, Enter and Space may arrive at the same time.
type ahead []tea.KeyPressMsg

// aheadMsg says that a waiting key may act.
type aheadMsg struct{}

// isHeld reports whether a key has to wait for the answer of the filter. If so, it stores the key.
// Esc discards the waiting keys.
func (a *App) isHeld(k tea.KeyPressMsg) bool {
	if k.String() == "esc" {
		a.ahead = nil
		return false
	}
	if !a.awaitsFound() && len(a.ahead) == 0 {
		return false
	}
	a.ahead = append(a.ahead, k)
	return true
}

// awaitsFound reports whether a filter was accepted with Enter while its search was still running.
// Keys then wait until the matches are known.
func (a *App) awaitsFound() bool { return a.ws.Found.Kept != nil && a.ws.Found.IsOpen() }

// release lets the waiting keys act, one at a time, so that the screen is updated between two of
// them.
func (a *App) release() tea.Cmd {
	if len(a.ahead) == 0 || a.awaitsFound() {
		return nil
	}
	return func() tea.Msg { return aheadMsg{} }
}

// take implements ownAnswer. It lets the next waiting key act.
func (aheadMsg) take(a *App) tea.Cmd {
	if len(a.ahead) == 0 || a.awaitsFound() {
		return nil
	}
	k := a.ahead[0]
	a.ahead = a.ahead[1:]
	return a.act(k)
}

// ownAnswer is a message of the screen, such as a timer of the mouse wheel.
type ownAnswer interface {
	take(a *App) tea.Cmd
}
