package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// here returns the place and row of the selection.
func (ws *workspace) here() graph.Spot { return graph.Spot{Place: ws.outline.Place, Row: ws.row()} }

// visit selects a row, which may be in another place.
func (ws *workspace) visit(s graph.Spot) tea.Cmd {
	if s.Place == ws.outline.Place {
		return ws.goTo(s.Row)
	}
	return ws.show(s)
}

// show shows the place of a row and selects the row. The place may belong to a new model.
func (ws *workspace) show(s graph.Spot) tea.Cmd {
	ws.scoping.Stop() // of the previous place
	ws.outline, ws.wiring, ws.modules = graph.NewOutline(ws.model(), s.Place), nil, nil
	ws.listing = listing{order: ws.listing.order}
	ws.rows.Reset(ws.outline.Len(), s.Row)
	ws.span = span{}
	ws.found.inPlace(s.Place)
	return tea.Batch(ws.resolve(), ws.arrange())
}

// placesIn returns the places that a row leads to: the bodies of its node, and the function that the
// node calls.
func placesIn(ws *workspace, row int) []*graphops.Place {
	n := ws.outline.Node(row)
	if n == nil {
		return nil
	}
	var out []*graphops.Place
	_, i := ws.outline.At(row)
	for _, b := range ws.outline.Place.Bodies {
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
	n := ws.outline.Node(row)
	return n != nil && (len(n.Graphs()) > 0 || ws.functions[n.Calls()])
}

// enter goes into a place.
func (ws *workspace) enter(p *graphops.Place) tea.Cmd {
	ws.trail.Leave(ws.here())
	return ws.show(graph.Spot{Place: p, Row: 0})
}

// rowAround returns the row to which leaving the current place leads. From a body it is the node that
// has the body. From a function it is the row that was visited before it, or else the first row of
// the main graph. It returns false in the main graph.
func rowAround(ws *workspace) (graph.Spot, bool) {
	p := ws.outline.Place
	switch p.Kind {
	case graphops.BodyGraph:
		return graph.Spot{Place: p.Parent, Row: graph.InputRows(p.Parent) + p.Node}, true
	case graphops.FunctionBody:
		for i := len(ws.trail.Behind) - 1; i >= 0; i-- {
			if s := ws.trail.Behind[i]; s.Place.Function != p.Function {
				return s, true
			}
		}
		return graph.Spot{Place: ws.model().Places()[0], Row: 0}, true
	default:
		return graph.Spot{}, false
	}
}

// leavePlace goes back to the enclosing place.
func (ws *workspace) leavePlace() tea.Cmd {
	out, ok := rowAround(ws)
	if !ok {
		return nil
	}
	ws.trail.Leave(ws.here())
	return ws.show(out)
}

// crumbsOf returns the names of the places from the main graph to this one, safe to print; none in
// the main graph.
func crumbsOf(ws *workspace) []string {
	var out []string
	for _, hop := range ws.outline.Place.Hops() {
		out = append(out, cells.Label(hop))
	}
	return out
}
