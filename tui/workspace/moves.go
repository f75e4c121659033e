package workspace

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// WiringRefusal says that the graph is still being read, or "".
func (ws *Workspace) WiringRefusal() string {
	return actions.Unless(ws.Wiring != nil, "the graph is still being read")
}

// EnterBody enters the only place that the row leads to, or asks which one to enter.
func (ws *Workspace) EnterBody() tea.Cmd {
	inner := placesIn(ws, ws.Row())
	if len(inner) == 1 {
		return ws.enter(inner[0])
	}
	choices := make([]shell.Choice, len(inner))
	for i, p := range inner {
		choices[i] = shell.Choice{Label: graph.PlaceName(p), Do: func() tea.Cmd { return ws.enter(p) }}
	}
	ws.Host.Open(shell.NewChooseDialog(ws.Host, "enter", choices))
	return nil
}

// EnterRefusal says why the selected row leads to no other place, or "".
func (ws *Workspace) EnterRefusal() string {
	return actions.Unless(len(placesIn(ws, ws.Row())) > 0, "this node has no body and calls no function of the model")
}

// Jump goes to a row and remembers the current one, so that the person can go back to it.
func (ws *Workspace) Jump(s graph.Spot) tea.Cmd {
	if s == ws.Here() {
		return nil
	}
	ws.Trail.Leave(ws.Here())
	return ws.Visit(s)
}

// PassDoor shows the place that the door leads to. If that is the graph around a body, the cursor goes
// to the node that has the body.
func PassDoor(d graph.Door, ws *Workspace) tea.Cmd {
	if out, ok := rowAround(ws); ok && d.Out && out.Place == d.Place {
		return ws.LeavePlace()
	}
	return ws.enter(d.Place)
}
