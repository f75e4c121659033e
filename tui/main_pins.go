package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// openPins opens the preview that was set aside. If there is none, it lists the pins that the last
// change of axes has left.
func openPins(ws *workspace.Workspace) tea.Cmd {
	if d := workspace.PutAside(ws); d != nil {
		ws.Host.Open(d)
		return nil
	}
	return workspace.OpenFindings(ws, "fixed sizes", ws.Pins[ws.Model()])
}

func pinsRefusal(ws *workspace.Workspace) string {
	return actions.Unless(workspace.PutAside(ws) != nil || len(ws.Pins[ws.Model()]) > 0, "no change of axes has left a fixed size in this model")
}

// openAxesHere shows the axes of the selected input or output.
func openAxesHere(ws *workspace.Workspace) tea.Cmd {
	ws.Host.Look(workspace.PlaceAxes)
	return nil
}

func axesRefusal(ws *workspace.Workspace) string {
	is := ws.Outline.Place.Kind == graphops.MainGraph && ws.Outline.Port(ws.Row()).What != ""
	return actions.Unless(is, "this row is not an input or output of the model; "+ws.Keys.Key(shell.PlaceMain, workspace.LookAction(workspace.PlaceAxes))+" shows the axes of all of them")
}
