package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func blameRefusal(ws *workspace.Workspace) string {
	return workspace.RefusalOf(ws, workspace.LastBlame(ws))
}

// goToBlame goes to the node that the latest failed job is about.
func goToBlame(ws *workspace.Workspace) tea.Cmd {
	return workspace.GoToFault(ws, workspace.LastBlame(ws))
}

// backOut ends the most specific thing that is in effect: the selection of a range, else the
// highlighting of matches, else the focus on another pane, else the zoom. Otherwise it leaves the
// body for the graph around it, and from the main graph goes back to the list of a folder's models.
func backOut(ws *workspace.Workspace) tea.Cmd {
	switch {
	case ws.Span.On:
		ws.Span = workspace.Span{}
	case ws.Host.Focus() != workspace.PlaceNodes:
		ws.Host.Look(workspace.PlaceNodes)
	case ws.Found.IsOn():
		return ws.Find("", false)
	case ws.Host.Unzoom():
	case ws.Options.Within != "" && leaveRefusal(ws) != "":
		return quit(ws)
	default:
		return ws.LeavePlace()
	}
	return nil
}

func followDown(ws *workspace.Workspace) tea.Cmd { return followOne(ws, "read by", consumers(ws)) }

func followUp(ws *workspace.Workspace) tea.Cmd { return followOne(ws, "made by", producers(ws)) }

// follow goes to the row at the other end of the only edge. If there are several edges, it asks
// which one to follow.
func followOne(ws *workspace.Workspace, what string, edges []edge) tea.Cmd {
	if len(edges) == 1 {
		return ws.Jump(edges[0].Spot)
	}
	choices := make([]shell.Choice, len(edges))
	for i, e := range edges {
		choices[i] = shell.Choice{Label: choiceOf(ws, e), Do: func() tea.Cmd { return ws.Jump(e.Spot) }}
	}
	ws.Host.Open(shell.NewChooseDialog(ws.Host, what, choices))
	return nil
}

func consumersRefusal(ws *workspace.Workspace) string {
	return edgeRefusal(ws, consumers, "nothing reads this")
}

func producersRefusal(ws *workspace.Workspace) string {
	return edgeRefusal(ws, producers, "no row computes what this reads")
}

func edgeRefusal(ws *workspace.Workspace, edges func(*workspace.Workspace) []edge, none string) string {
	if why := ws.WiringRefusal(); why != "" {
		return why
	}
	return actions.Unless(len(edges(ws)) > 0, none)
}

func earlierSpot(ws *workspace.Workspace) tea.Cmd { return retrace(ws, ws.Trail.Back) }

func laterSpot(ws *workspace.Workspace) tea.Cmd { return retrace(ws, ws.Trail.Forward) }

func retrace(ws *workspace.Workspace, way func(graph.Spot) (graph.Spot, bool)) tea.Cmd {
	if s, ok := way(ws.Here()); ok {
		return ws.Visit(s)
	}
	return nil
}

func earlierRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Trail.Behind) > 0, "there is no earlier position to go back to")
}

func laterRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Trail.Ahead) > 0, "there is no later position to go forward to")
}

func leaveBody(ws *workspace.Workspace) tea.Cmd { return ws.LeavePlace() }

func leaveRefusal(ws *workspace.Workspace) string {
	return actions.Unless(ws.Outline.Place.Kind != graphops.MainGraph, "this is already the main graph")
}
