package graphops

import "slices"

// EditPlaces is the model with its places edited by f, inner ones before those
// that hold them, so that the nodes of the editor have their new bodies. f may
// change values and nodes, add none and remove none, and reports whether it
// changed anything; what it left is shared.
func (m *Model) EditPlaces(f func(p *Place, e *GraphEditor) bool) *Model {
	c := m
	for _, p := range m.Places() {
		if p.Kind == BodyGraph {
			continue // edited with the place that holds it
		}
		if g := p.edited(f); g != p.Graph {
			c = c.WithGraph(p, g)
		}
	}
	return c
}

// edited is the place's graph with its bodies and then itself edited by f. The
// depth of bodies is bounded by the decoder.
func (p *Place) edited(f func(p *Place, e *GraphEditor) bool) *Graph {
	e := EditGraph(p.Graph)
	for _, b := range p.Bodies {
		if g := b.edited(f); g != b.Graph {
			e.Nodes[b.Node] = e.Nodes[b.Node].withBody(b.attr, b.Nth, g)
		}
	}
	if !f(p, e) && slices.Equal(e.Nodes, p.Graph.nodes) {
		return p.Graph
	}
	return e.Graph()
}
