package controls

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"

	"lathe/session/text"
	"lathe/tui/cells"
)

// NewLine returns a focused line of text. Draw it with ViewLine.
func NewLine() textinput.Model {
	line := textinput.New()
	line.SetVirtualCursor(false)
	line.KeyMap.Paste = key.NewBinding() // it would read this machine's clipboard, not the user's
	line.Focus()
	return line
}

// ViewLine draws a line in w cells so that the cursor, at cell x, is visible. Pasted text never
// reaches the terminal raw.
func ViewLine(line textinput.Model, w int) (s string, x int) {
	value := []rune(line.Value())
	pos := min(line.Position(), len(value))
	before := cells.CutFront(text.CleanLine(string(value[:pos])), w-1)
	return cells.Fit(before+text.CleanLine(string(value[pos:])), w), cells.Width(before)
}
