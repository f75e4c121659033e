package tui

import tea "charm.land/bubbletea/v2"

// openValueForm opens the form with the options for computing values.
func openValueForm(ws *workspace) tea.Cmd { return openFormOf(ws, newValueStep(ws), nil) }
