package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/shell"
)

// backOut ends the most specific thing that is in effect: the selection of a range, else the
// highlighting of matches, else the focus on another pane, else the zoom. Otherwise it leaves the
// body for the graph around it.
func (ws *workspace) backOut() tea.Cmd {
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

func (ws *workspace) followDown() tea.Cmd { return ws.followOne("read by", ws.consumers()) }
func (ws *workspace) followUp() tea.Cmd   { return ws.followOne("made by", ws.producers()) }

// follow goes to the row at the other end of the only edge. If there are several edges, it asks
// which one to follow.
func (ws *workspace) followOne(what string, edges []edge) tea.Cmd {
	if len(edges) == 1 {
		return ws.jump(edges[0].spot)
	}
	choices := make([]shell.Choice, len(edges))
	for i, e := range edges {
		choices[i] = shell.Choice{Label: ws.choiceOf(e), Do: func() tea.Cmd { return ws.jump(e.spot) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, what, choices))
	return nil
}

func (ws *workspace) consumersRefusal() string {
	return ws.edgeRefusal(ws.consumers, "nothing reads this")
}

func (ws *workspace) producersRefusal() string {
	return ws.edgeRefusal(ws.producers, "no row computes what this reads")
}

func (ws *workspace) edgeRefusal(edges func() []edge, none string) string {
	if why := ws.wiringRefusal(); why != "" {
		return why
	}
	return actions.Unless(len(edges()) > 0, none)
}

func (ws *workspace) wiringRefusal() string {
	return actions.Unless(ws.wiring != nil, "the graph is still being read")
}

func (ws *workspace) earlier() tea.Cmd { return ws.retrace(ws.trail.back) }
func (ws *workspace) later() tea.Cmd   { return ws.retrace(ws.trail.forward) }

func (ws *workspace) retrace(way func(spot) (spot, bool)) tea.Cmd {
	if s, ok := way(ws.here()); ok {
		return ws.visit(s)
	}
	return nil
}

func (ws *workspace) earlierRefusal() string {
	return actions.Unless(len(ws.trail.behind) > 0, "there is no earlier position to go back to")
}

func (ws *workspace) laterRefusal() string {
	return actions.Unless(len(ws.trail.ahead) > 0, "there is no later position to go forward to")
}

// enterBody enters the only place that the row leads to, or asks which one to enter.
func (ws *workspace) enterBody() tea.Cmd {
	inner := ws.inner(ws.row())
	if len(inner) == 1 {
		return ws.enter(inner[0])
	}
	choices := make([]shell.Choice, len(inner))
	for i, p := range inner {
		choices[i] = shell.Choice{Label: placeName(p), Do: func() tea.Cmd { return ws.enter(p) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "enter", choices))
	return nil
}

func (ws *workspace) enterRefusal() string {
	return actions.Unless(len(ws.inner(ws.row())) > 0, "this node has no body and calls no function of the model")
}

func (ws *workspace) leaveBody() tea.Cmd { return ws.leavePlace() }

func (ws *workspace) leaveRefusal() string {
	return actions.Unless(ws.outline.place.Kind != graphops.MainGraph, "this is already the main graph")
}

// jump goes to a row and remembers the current one, so that the person can go back to it.
func (ws *workspace) jump(s spot) tea.Cmd {
	if s == ws.here() {
		return nil
	}
	ws.trail.leave(ws.here())
	return ws.visit(s)
}
