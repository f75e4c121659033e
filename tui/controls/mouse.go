package controls

import tea "charm.land/bubbletea/v2"

// wheelLines is the number of lines that one notch of the wheel scrolls.
const wheelLines = 3

// Wheel returns how many lines a turn of the wheel scrolls: positive down, negative up. It is 0 for
// other buttons.
func Wheel(b tea.MouseButton) int {
	switch b {
	case tea.MouseWheelDown:
		return wheelLines
	case tea.MouseWheelUp:
		return -wheelLines
	default:
		return 0
	}
}
