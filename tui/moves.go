package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

func (ws *workspace) wiringRefusal() string {
	return actions.Unless(ws.wiring != nil, "the graph is still being read")
}

// enterBody enters the only place that the row leads to, or asks which one to enter.
func (ws *workspace) enterBody() tea.Cmd {
	inner := placesIn(ws, ws.row())
	if len(inner) == 1 {
		return ws.enter(inner[0])
	}
	choices := make([]shell.Choice, len(inner))
	for i, p := range inner {
		choices[i] = shell.Choice{Label: graph.PlaceName(p), Do: func() tea.Cmd { return ws.enter(p) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "enter", choices))
	return nil
}

func (ws *workspace) enterRefusal() string {
	return actions.Unless(len(placesIn(ws, ws.row())) > 0, "this node has no body and calls no function of the model")
}

// jump goes to a row and remembers the current one, so that the person can go back to it.
func (ws *workspace) jump(s graph.Spot) tea.Cmd {
	if s == ws.here() {
		return nil
	}
	ws.trail.Leave(ws.here())
	return ws.visit(s)
}

// passDoor shows the place that the door leads to. If that is the graph around a body, the cursor goes
// to the node that has the body.
func passDoor(d graph.Door, ws *workspace) tea.Cmd {
	if out, ok := rowAround(ws); ok && d.Out && out.Place == d.Place {
		return ws.leavePlace()
	}
	return ws.enter(d.Place)
}
