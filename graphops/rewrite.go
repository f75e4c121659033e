package graphops

import "slices"

// mapTensors returns the model with every tensor replaced by the result of f. It covers
// initializers, the two parts of sparse tensors and the values of attributes, in the main graph, in
// bodies and in functions. initializer is true only for initializers. Unchanged parts are shared
// with the original. Attributes that were not decoded when the model was opened are skipped. Their
// tensors are small and not external.
func mapTensors(m *Model, f func(t *Tensor, initializer bool) (*Tensor, error)) (*Model, error) {
	x := tensorMap{f}
	g, err := x.graph(m.graph)
	if err != nil {
		return nil, err
	}
	c := m.changed()
	c.graph = g
	c.functions, err = mapList(m.functions, func(f *Function) (*Function, error) {
		g, err := x.graph(f.graph)
		if err != nil || g == f.graph {
			return f, err
		}
		return f.withGraph(g), nil
	})
	return c, err
}

type tensorMap struct {
	f func(t *Tensor, initializer bool) (*Tensor, error)
}

func (x tensorMap) graph(g *Graph) (*Graph, error) {
	e := EditGraph(g)
	var err error
	if e.Initializers, err = mapList(g.initializers, func(t *Tensor) (*Tensor, error) { return x.f(t, true) }); err != nil {
		return nil, err
	}
	if e.Sparse, err = mapList(g.sparse, x.sparse); err != nil {
		return nil, err
	}
	if e.Nodes, err = mapList(g.nodes, x.node); err != nil {
		return nil, err
	}
	if slices.Equal(e.Initializers, g.initializers) && slices.Equal(e.Sparse, g.sparse) && slices.Equal(e.Nodes, g.nodes) {
		return g, nil
	}
	return e.Graph(), nil
}

func (x tensorMap) node(n *Node) (*Node, error) {
	attrs, err := mapList(n.attrs, x.attribute)
	if err != nil || slices.Equal(attrs, n.attrs) {
		return n, err
	}
	return n.WithAttributes(attrs), nil
}

func (x tensorMap) attribute(a *Attribute) (*Attribute, error) {
	c := *a
	var err error
	if c.tensor, err = mapOne(a.tensor, x.part); err != nil {
		return nil, err
	}
	if c.tensors, err = mapList(a.tensors, x.part); err != nil {
		return nil, err
	}
	if c.graph, err = mapOne(a.graph, x.graph); err != nil {
		return nil, err
	}
	if c.graphs, err = mapList(a.graphs, x.graph); err != nil {
		return nil, err
	}
	if c.sparse, err = mapOne(a.sparse, x.sparse); err != nil {
		return nil, err
	}
	if c.sparses, err = mapList(a.sparses, x.sparse); err != nil {
		return nil, err
	}
	if c.tensor == a.tensor && c.graph == a.graph && c.sparse == a.sparse &&
		slices.Equal(c.tensors, a.tensors) && slices.Equal(c.graphs, a.graphs) && slices.Equal(c.sparses, a.sparses) {
		return a, nil
	}
	return &c, nil
}

func (x tensorMap) sparse(s *SparseTensor) (*SparseTensor, error) {
	values, err := mapOne(s.values, x.part)
	if err != nil {
		return nil, err
	}
	indices, err := mapOne(s.indices, x.part)
	if err != nil || values == s.values && indices == s.indices {
		return s, err
	}
	return &SparseTensor{values: values, indices: indices, head: s.head}, nil
}

func (x tensorMap) part(t *Tensor) (*Tensor, error) { return x.f(t, false) }

// mapBodies returns the node with every body replaced by the result of f, or the node itself if
// nothing changes.
func (n *Node) mapBodies(f func(*Graph) *Graph) *Node {
	if n.attrs == nil {
		return n
	}
	attrs := slices.Clone(n.attrs)
	for i, a := range attrs {
		graphs := slices.Clone(a.Graphs())
		for j, g := range graphs {
			graphs[j] = f(g)
		}
		if !slices.Equal(graphs, a.Graphs()) {
			attrs[i] = a.WithGraphs(graphs)
		}
	}
	if slices.Equal(attrs, n.attrs) {
		return n
	}
	return n.WithAttributes(attrs)
}

// mapOne returns f(p), or nil if p is nil.
func mapOne[T any](p *T, f func(*T) (*T, error)) (*T, error) {
	if p == nil {
		return nil, nil
	}
	return f(p)
}

// mapList returns a list of the results of f for each element. It returns nil if the list is nil.
func mapList[T any](list []*T, f func(*T) (*T, error)) ([]*T, error) {
	out := slices.Clone(list)
	for i, p := range list {
		var err error
		if out[i], err = f(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}
