package tui

import tea "charm.land/bubbletea/v2"

// ahead is what is typed behind a filter whose answer is still on its way. Those
// keys mean what the filter finds, and must not act on the row before: over a slow
// line `/name`, Enter, Space come at once.
type ahead []tea.KeyPressMsg

// aheadMsg tells that a key typed ahead may act now.
type aheadMsg struct{}

// isHeld reports whether a key has to wait for the answer to the filter, and keeps
// it then. Esc takes back what waits.
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

// awaitsFound reports whether a filter was kept before its answer was there.
func (a *App) awaitsFound() bool { return a.ws.found.kept != nil && a.ws.found.isOpen() }

// release lets what was typed ahead act, one key after another: between two the
// screen is fitted as it is behind any key.
func (a *App) release() tea.Cmd {
	if len(a.ahead) == 0 || a.awaitsFound() {
		return nil
	}
	return func() tea.Msg { return aheadMsg{} }
}

// take implements answer.
func (aheadMsg) take(a *App) tea.Cmd {
	if len(a.ahead) == 0 || a.awaitsFound() {
		return nil
	}
	k := a.ahead[0]
	a.ahead = a.ahead[1:]
	return a.act(k)
}
