package workspace

import (
	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// Here returns the place and row of the selection.
func (ws *Workspace) Here() graph.Spot { return graph.Spot{Place: ws.Outline.Place, Row: ws.Row()} }

// Visit selects a row, which may be in another place.
func (ws *Workspace) Visit(s graph.Spot) tea.Cmd {
	if s.Place == ws.Outline.Place {
		return ws.GoTo(s.Row)
	}
	return ws.Show(s)
}

// Show shows the place of a row and selects the row. The place may belong to a new model.
func (ws *Workspace) Show(s graph.Spot) tea.Cmd {
	ws.scoping.Stop() // of the previous place
	ws.Outline, ws.Wiring, ws.Modules = graph.NewOutline(ws.Model(), s.Place), nil, nil
	ws.Listing = listing{Order: ws.Listing.Order}
	ws.revealed = ws.Outline.Folds(s.Row)
	ws.Rows.Reset(ws.Outline.Len(), s.Row)
	ws.Span = Span{}
	ws.Found.InPlace(s.Place)
	return tea.Batch(ws.Resolve(), ws.Arrange())
}

// placesIn returns the places that a row leads to: the bodies of its node, and the function that the
// node calls.
func placesIn(ws *Workspace, row int) []*graphops.Place {
	n := ws.Outline.Node(row)
	if n == nil {
		return nil
	}
	var out []*graphops.Place
	_, i := ws.Outline.At(row)
	for _, b := range ws.Outline.Place.Bodies {
		if b.Node == i {
			out = append(out, b)
		}
	}
	if len(ws.Model().Functions()) == 0 {
		return out
	}
	for _, p := range ws.Model().Places() {
		if p.Kind == graphops.FunctionBody && p.Function.Key() == n.Calls() {
			out = append(out, p)
		}
	}
	return out
}

// IsHolder reports whether a row leads to another place. It is cheap for most nodes, because it is
// called for every row in view.
func IsHolder(ws *Workspace, row int) bool {
	n := ws.Outline.Node(row)
	return n != nil && (len(n.Graphs()) > 0 || ws.functions[n.Calls()])
}

// enter goes into a place.
func (ws *Workspace) enter(p *graphops.Place) tea.Cmd {
	ws.Trail.Leave(ws.Here())
	return ws.Show(graph.Spot{Place: p, Row: 0})
}

// rowAround returns the row to which leaving the current place leads. From a body it is the node that
// has the body. From a function it is the row that was visited before it, or else the first row of
// the main graph. It returns false in the main graph.
func rowAround(ws *Workspace) (graph.Spot, bool) {
	p := ws.Outline.Place
	switch p.Kind {
	case graphops.BodyGraph:
		return graph.Spot{Place: p.Parent, Row: graph.InputRows(p.Parent) + p.Node}, true
	case graphops.FunctionBody:
		for i := len(ws.Trail.Behind) - 1; i >= 0; i-- {
			if s := ws.Trail.Behind[i]; s.Place.Function != p.Function {
				return s, true
			}
		}
		return graph.Spot{Place: ws.Model().Places()[0], Row: 0}, true
	default:
		return graph.Spot{}, false
	}
}

// LeavePlace goes back to the enclosing place.
func (ws *Workspace) LeavePlace() tea.Cmd {
	out, ok := rowAround(ws)
	if !ok {
		return nil
	}
	ws.Trail.Leave(ws.Here())
	return ws.Show(out)
}

// CrumbsOf returns the names of the places from the main graph to this one, safe to print; none in
// the main graph.
func CrumbsOf(ws *Workspace) []string {
	var out []string
	for _, hop := range ws.Outline.Place.Hops() {
		out = append(out, cells.Label(hop))
	}
	return out
}
