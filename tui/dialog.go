package tui

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
