package tui

import tea "charm.land/bubbletea/v2"

// What can be done in dialogs, the same in several of them.
const (
	actionClose  action = "close"
	actionAccept action = "accept"
	actionCopy   action = "copy-command"
	actionNext   action = "next"
	actionPrev   action = "previous"
	// actionComplete takes what is offered for what is being written.
	actionComplete action = "complete"
)

// lineKeys are those of a dialog with one line to write in.
func lineKeys(accept string, rows ...binding) []binding {
	return append(rows,
		binding{actionAccept, accept, keys("enter")},
		binding{actionClose, "cancel", keys("esc")},
	)
}

// pickKeys move through what is listed below such a line.
var pickKeys = []binding{
	{actionNext, "next", keys("down", "ctrl+n")},
	{actionPrev, "previous", keys("up", "ctrl+p")},
}

// oneLine is the line to write in of a dialog that looks at it only in the end.
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
