package shell

import (
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/theme"
)

// PlaceLog is the place of the log of messages.
const PlaceLog actions.Place = "log"

// NewLogDialog shows all messages, the latest first.
func NewLogDialog(h Host, log *Log) *TextDialog {
	st := h.Styles()
	var lines []string
	for i := len(log.Entries) - 1; i >= 0; i-- {
		e := log.Entries[i]
		looks := theme.Paint("")
		if e.Failed {
			looks = st.Bad
		}
		var folded list.Folded
		folded.Fold(e.Lines, max(h.Width()-4-2*FramePad-len("15:04:05 "), MinWidth/2))
		for j, line := range folded.Lines {
			at := e.at.Format("15:04:05")
			if j > 0 {
				at = cells.Blanks(len(at))
			}
			lines = append(lines, st.Faint.On(at)+" "+looks.On(line))
		}
	}
	if len(lines) == 0 {
		lines = []string{"there are no messages yet"}
	}
	return NewTextDialog(h, PlaceLog, "log", lines)
}
