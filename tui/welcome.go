package tui

import (
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/overview"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// welcome is the first screen: the overview is in the place of the detail, or in a box over the list
// where only one region fits. Another row, pane or model ends it, and any key closes the box.
type welcome struct {
	on      bool
	pressed bool       // a key or the mouse was used
	at      graph.Spot // the row that was selected before the first key
}

// greet ends the first screen if the user has moved on.
func (a *App) greet() {
	w := &a.welcome
	if !w.on {
		return
	}
	here := a.ws.Here()
	if !w.pressed {
		w.at = here
	}
	if here == w.at && a.focused().Panel.Place == workspace.PlaceNodes {
		return
	}
	w.on = false
	if i := a.shown[shell.RegionRight]; a.members[i].Panel.Place == overview.Place && i != a.at {
		for k, m := range a.members {
			if m.Panel.Place == workspace.PlaceDetail {
				a.shown[shell.RegionRight] = k
			}
		}
	}
}

// band returns the content of the box over the list, or nil while it is not shown.
func (a *App) band(s shell.Screen) []string {
	if !a.welcome.on || a.welcome.pressed || len(a.dialogs) > 0 || !s.At[shell.RegionRight].IsEmpty() || s.Body.H < 3*minBand {
		return nil
	}
	return overview.Band(a.ws, s.W-2)
}

// minBand is the number of lines of the largest box, with its frame.
const minBand = 6

// bandBox returns the rectangle of the box: at the bottom of the list.
func bandBox(s shell.Screen, lines int) cells.Rect {
	h := min(lines+2, minBand)
	return cells.Rect{X: 0, Y: s.Body.Y + s.Body.H - h, W: s.W, H: h}
}
