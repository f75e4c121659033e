package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
)

// here returns the place and row of the selection.
func (ws *workspace) here() spot { return spot{ws.outline.place, ws.row()} }

// visit selects a row, which may be in another place.
func (ws *workspace) visit(s spot) tea.Cmd {
	if s.place == ws.outline.place {
		return ws.goTo(s.row)
	}
	return ws.show(s)
}

// show shows the place of a row and selects the row. The place may belong to a new model.
func (ws *workspace) show(s spot) tea.Cmd {
	ws.scoping.Stop() // of the previous place
	ws.outline, ws.wiring, ws.modules = newOutline(ws.model(), s.place), nil, nil
	ws.listing = listing{order: ws.listing.order}
	ws.rows.Reset(ws.outline.len(), s.row)
	ws.span = span{}
	ws.found.inPlace(s.place)
	return tea.Batch(ws.resolve(), ws.arrange())
}

// placesIn returns the places that a row leads to: the bodies of its node, and the function that the
// node calls.
func placesIn(ws *workspace, row int) []*graphops.Place {
	n := ws.outline.node(row)
	if n == nil {
		return nil
	}
	var out []*graphops.Place
	_, i := ws.outline.at(row)
	for _, b := range ws.outline.place.Bodies {
		if b.Node == i {
			out = append(out, b)
		}
	}
	if len(ws.model().Functions()) == 0 {
		return out
	}
	for _, p := range ws.model().Places() {
		if p.Kind == graphops.FunctionBody && p.Function.Key() == n.Calls() {
			out = append(out, p)
		}
	}
	return out
}

// isHolder reports whether a row leads to another place. It is cheap for most nodes, because it is
// called for every row in view.
func isHolder(ws *workspace, row int) bool {
	n := ws.outline.node(row)
	return n != nil && (len(n.Graphs()) > 0 || ws.functions[n.Calls()])
}

// enter goes into a place.
func (ws *workspace) enter(p *graphops.Place) tea.Cmd {
	ws.trail.leave(ws.here())
	return ws.show(spot{p, 0})
}

// rowAround returns the row to which leaving the current place leads. From a body it is the node that
// has the body. From a function it is the row that was visited before it, or else the first row of
// the main graph. It returns false in the main graph.
func rowAround(ws *workspace) (spot, bool) {
	p := ws.outline.place
	switch p.Kind {
	case graphops.BodyGraph:
		return spot{p.Parent, inputRows(p.Parent) + p.Node}, true
	case graphops.FunctionBody:
		for i := len(ws.trail.behind) - 1; i >= 0; i-- {
			if s := ws.trail.behind[i]; s.place.Function != p.Function {
				return s, true
			}
		}
		return spot{ws.model().Places()[0], 0}, true
	default:
		return spot{}, false
	}
}

// inputRows returns the number of rows of an outline that come before the nodes.
func inputRows(p *graphops.Place) int {
	switch p.Kind {
	case graphops.MainGraph:
		return len(p.Graph.FeedInputs())
	case graphops.BodyGraph:
		return len(p.Graph.Inputs()) + len(p.Graph.Captured())
	default:
		return len(p.Graph.Inputs())
	}
}

// leavePlace goes back to the enclosing place.
func (ws *workspace) leavePlace() tea.Cmd {
	out, ok := rowAround(ws)
	if !ok {
		return nil
	}
	ws.trail.leave(ws.here())
	return ws.show(out)
}

// crumbsOf returns the names of the places from the main graph to this one, safe to print; none in
// the main graph.
func crumbsOf(ws *workspace) []string {
	var out []string
	for _, hop := range ws.outline.place.Hops() {
		out = append(out, cells.Label(hop))
	}
	return out
}

// placeName names a place in a list of choices.
func placeName(p *graphops.Place) string {
	nodes := "  " + text.Plural(len(p.Graph.Nodes()), "node")
	if p.Kind == graphops.FunctionBody {
		return "function " + cells.Label(p.String()) + nodes
	}
	return cells.Label(p.Attribute) + nodes
}
