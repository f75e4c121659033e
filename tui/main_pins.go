package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/shell"
)

// openPins opens the preview that was set aside. If there is none, it lists the pins that the last
// change of axes has left.
func openPins(ws *workspace) tea.Cmd {
	if d := putAside(ws); d != nil {
		ws.host.Open(d)
		return nil
	}
	return openFindings(ws, "pins", ws.pins[ws.model()])
}

func pinsRefusal(ws *workspace) string {
	return actions.Unless(putAside(ws) != nil || len(ws.pins[ws.model()]) > 0, "no change of axes has left a pin in this model")
}

// openAxesHere shows the axes of the selected input or output.
func openAxesHere(ws *workspace) tea.Cmd {
	ws.host.Look(placeAxes)
	return nil
}

func axesRefusal(ws *workspace) string {
	is := ws.outline.Place.Kind == graphops.MainGraph && ws.outline.Port(ws.row()).What != ""
	return actions.Unless(is, "this row is not an input or output of the model; "+ws.keys.Key(shell.PlaceMain, lookAction(placeAxes))+" shows the axes of all of them")
}
