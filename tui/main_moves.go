package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

func blameRefusal(ws *workspace) string { return refusalOf(ws, lastBlame(ws)) }

// goToBlame goes to the node that the latest failed job is about.
func goToBlame(ws *workspace) tea.Cmd { return goToFault(ws, lastBlame(ws)) }

// backOut ends the most specific thing that is in effect: the selection of a range, else the
// highlighting of matches, else the focus on another pane, else the zoom. Otherwise it leaves the
// body for the graph around it.
func backOut(ws *workspace) tea.Cmd {
	switch {
	case ws.span.on:
		ws.span = span{}
	case ws.found.isOn():
		return ws.find("", false)
	case ws.host.Focus() != placeNodes:
		ws.host.Look(placeNodes)
	case ws.host.Unzoom():
	default:
		return ws.leavePlace()
	}
	return nil
}

func followDown(ws *workspace) tea.Cmd { return followOne(ws, "read by", consumers(ws)) }

func followUp(ws *workspace) tea.Cmd { return followOne(ws, "made by", producers(ws)) }

// follow goes to the row at the other end of the only edge. If there are several edges, it asks
// which one to follow.
func followOne(ws *workspace, what string, edges []edge) tea.Cmd {
	if len(edges) == 1 {
		return ws.jump(edges[0].Spot)
	}
	choices := make([]shell.Choice, len(edges))
	for i, e := range edges {
		choices[i] = shell.Choice{Label: choiceOf(ws, e), Do: func() tea.Cmd { return ws.jump(e.Spot) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, what, choices))
	return nil
}

func consumersRefusal(ws *workspace) string {
	return edgeRefusal(ws, consumers, "nothing reads this")
}

func producersRefusal(ws *workspace) string {
	return edgeRefusal(ws, producers, "no row computes what this reads")
}

func edgeRefusal(ws *workspace, edges func(*workspace) []edge, none string) string {
	if why := ws.wiringRefusal(); why != "" {
		return why
	}
	return actions.Unless(len(edges(ws)) > 0, none)
}

func earlierSpot(ws *workspace) tea.Cmd { return retrace(ws, ws.trail.Back) }

func laterSpot(ws *workspace) tea.Cmd { return retrace(ws, ws.trail.Forward) }

func retrace(ws *workspace, way func(graph.Spot) (graph.Spot, bool)) tea.Cmd {
	if s, ok := way(ws.here()); ok {
		return ws.visit(s)
	}
	return nil
}

func earlierRefusal(ws *workspace) string {
	return actions.Unless(len(ws.trail.Behind) > 0, "there is no earlier position to go back to")
}

func laterRefusal(ws *workspace) string {
	return actions.Unless(len(ws.trail.Ahead) > 0, "there is no later position to go forward to")
}

func leaveBody(ws *workspace) tea.Cmd { return ws.leavePlace() }

func leaveRefusal(ws *workspace) string {
	return actions.Unless(ws.outline.Place.Kind != graphops.MainGraph, "this is already the main graph")
}
