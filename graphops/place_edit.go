package graphops

import "slices"

// EditPlaces returns the model with all places edited by f, which reports whether it changed the
// place. Bodies are edited before the graphs around them, so the nodes in e already have their new
// bodies. f may change values and nodes, but must not add or remove nodes. Unchanged parts are
// shared with the original.
func (m *Model) EditPlaces(f func(p *Place, e *GraphEditor) bool) *Model {
	changed := map[*Place]*Graph{}
	for _, p := range m.Places() {
		if p.Kind == BodyGraph {
			continue // edited with the place that contains it
		}
		if g := p.edited(f); g != p.Graph {
			changed[p] = g
		}
	}
	if len(changed) == 0 {
		return m
	}
	return m.WithRoots(changed)
}

// edited calls f for every body inside the place and then for the place's own graph. It returns the
// edited graph, or the original one if f changed nothing. The recursion is bounded, because the
// decoder rejects bodies that are nested too deep.
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
