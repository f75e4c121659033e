package shell

// The signs before a line. Only the pane with the focus has a Cursor, so that one look finds the row
// that keys act on, also without colours. Selection marks the selected row in the other panes.
const (
	Cursor    = "›"
	Selection = "·"
)

// CursorSign returns the sign before the selected line of a pane.
func CursorSign(focused bool) string {
	if focused {
		return Cursor
	}
	return Selection
}
