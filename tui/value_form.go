package tui

import tea "charm.land/bubbletea/v2"

// openValueForm opens the form with the options for computing values.
func (ws *workspace) openValueForm() tea.Cmd { return ws.openFormOf(ws.newValueStep(), nil) }
