package controls

import tea "charm.land/bubbletea/v2"

// wheelLines is how far one notch of the wheel goes.
const wheelLines = 3

// Wheel is how many lines a notch of the wheel moves a list down, 0 for any other button.
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
