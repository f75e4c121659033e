package tui

import tea "charm.land/bubbletea/v2"

// Actions that several dialogs have.
const (
	actionClose  action = "close"
	actionAccept action = "accept"
	actionCopy   action = "copy-command"
	actionNext   action = "next"
	actionPrev   action = "previous"
	// actionComplete accepts the offered completion.
	actionComplete action = "complete"
)

// lineKeys are the keys of a dialog with one line of text.
func lineKeys(accept string, rows ...binding) []binding {
	return append(rows,
		binding{actionAccept, accept, keys("enter")},
		binding{actionClose, "cancel", keys("esc")},
	)
}

// pickKeys move through the list below such a line.
var pickKeys = []binding{
	{actionNext, "next", keys("down", "ctrl+n")},
	{actionPrev, "previous", keys("up", "ctrl+p")},
}

// oneLine is the line of a dialog that reads it only at the end.
type oneLine struct {
	field *textfield
	w     int
}

func (l *oneLine) typed(k tea.KeyPressMsg) tea.Cmd { return l.edit(k) }

func (l *oneLine) pasted(s string) tea.Cmd { return l.edit(tea.PasteMsg{Content: s}) }

func (l *oneLine) edit(msg tea.Msg) tea.Cmd {
	l.field.typed(msg)
	return nil
}

func (l *oneLine) cursor() (x, y int) {
	_, x = l.field.view(l.w)
	return x, 0
}
