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

// lineKeys returns the bindings of a dialog that asks for one line of text: its own rows, Enter and
// Esc.
func lineKeys(accept string, rows ...binding) []binding {
	return append(rows,
		binding{actionAccept, accept, keys("enter")},
		binding{actionClose, "cancel", keys("esc")},
	)
}

// pickKeys are the bindings that move through the list below a line of text. The letters are needed
// for typing, so only arrows and Ctrl keys are used.
var pickKeys = []binding{
	{actionNext, "next", keys("down", "ctrl+n")},
	{actionPrev, "previous", keys("up", "ctrl+p")},
}

// oneLine is the text field of a dialog that reads the text only when it is accepted.
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
