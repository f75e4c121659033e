package graphops

// mapInitializers is the model with every dense initializer replaced by what f
// returns, in the main graph and in bodies. What does not change is shared.
func mapInitializers(m *Model, f func(*Tensor) (*Tensor, error)) (*Model, error) {
	c := *m
	g, err := mapGraphInitializers(m.graph, f)
	if err != nil {
		return nil, err
	}
	c.graph = g
	return &c, nil
}

func mapGraphInitializers(g *Graph, f func(*Tensor) (*Tensor, error)) (*Graph, error) {
	e := EditGraph(g)
	changed := false
	for i, t := range e.Initializers {
		r, err := f(t)
		if err != nil {
			return nil, err
		}
		changed = changed || r != t
		e.Initializers[i] = r
	}
	for i, n := range e.Nodes {
		r, err := n.MapBodies(func(g *Graph) (*Graph, error) { return mapGraphInitializers(g, f) })
		if err != nil {
			return nil, err
		}
		changed = changed || r != n
		e.Nodes[i] = r
	}
	if !changed {
		return g, nil
	}
	return e.Graph(), nil
}

// MapBodies is the node with every body that its attributes hold replaced by
// what f returns; the node itself where none changes.
func (n *Node) MapBodies(f func(*Graph) (*Graph, error)) (*Node, error) {
	if len(n.Graphs()) == 0 {
		return n, nil
	}
	attrs := make([]*Attribute, len(n.attrs))
	changed := false
	for i, a := range n.attrs {
		attrs[i] = a
		bodies := a.Graphs()
		next := make([]*Graph, len(bodies))
		moved := false
		for j, g := range bodies {
			r, err := f(g)
			if err != nil {
				return nil, err
			}
			next[j] = r
			moved = moved || r != g
		}
		if moved {
			attrs[i] = a.WithGraphs(next)
			changed = true
		}
	}
	if !changed {
		return n, nil
	}
	return n.WithAttributes(attrs), nil
}
