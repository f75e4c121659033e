package filter

import "lathe/graphops"

// weights count the constants behind values, by value and by node.
type weights struct {
	values, nodes []weight
}

type weight struct{ elements, bytes int64 }

func (w *weight) add(o weight) {
	w.elements += o.elements
	w.bytes += o.bytes
}

// weightOf is the size of a constant; one whose shape makes no sense counts
// nothing.
func weightOf(t *graphops.Tensor) weight {
	n, err := t.Elements()
	if err != nil {
		return weight{}
	}
	size, err := t.ByteLen()
	if err != nil {
		return weight{}
	}
	return weight{n, size}
}

// weigh counts, once for every node, the constants that it reads and those in
// its bodies.
func (f *Facts) weigh() *weights {
	return f.weights.get(func() *weights {
		w := &weights{make([]weight, f.index.Values()), make([]weight, len(f.graph.Nodes()))}
		for v, t := range f.constants() {
			if t != nil {
				w.values[v] = weightOf(t)
			}
		}
		for i, n := range f.graph.Nodes() {
			last := graphops.ValueID(-1)
			for _, v := range f.index.Reads(i) { // in order, so the same ones stand together
				if v != last {
					w.nodes[i].add(w.values[v])
				}
				last = v
			}
			for _, body := range n.Graphs() {
				w.nodes[i].add(inside(body))
			}
		}
		return w
	})
}

// inside sums the constants of a body and of those in it; the decoder bounds
// how deep they nest.
func inside(g *graphops.Graph) weight {
	var w weight
	for _, t := range g.Initializers() {
		w.add(weightOf(t))
	}
	for _, s := range g.SparseInitializers() {
		if s.Values() != nil {
			w.add(weightOf(s.Values()))
		}
	}
	for _, n := range g.Nodes() {
		for _, body := range n.Graphs() {
			w.add(inside(body))
		}
	}
	return w
}

// constants are the initializers behind values, in the place or around it; of
// sparse ones the stored elements. Nil for any other value.
func (f *Facts) constants() []*graphops.Tensor {
	return f.stored.get(func() []*graphops.Tensor {
		of := constantsOf{}
		out := make([]*graphops.Tensor, f.index.Values())
		for v := range out {
			out[v] = of.tensor(f.graph, graphops.ValueID(v))
		}
		for _, c := range f.place.Captures() {
			if c.From != nil {
				out[c.Value] = of.tensor(c.From.Graph, c.Outer)
			}
		}
		return out
	})
}

// constantsOf keeps the sparse constants of graphs by name.
type constantsOf map[*graphops.Graph]map[string]*graphops.Tensor

func (of constantsOf) tensor(g *graphops.Graph, v graphops.ValueID) *graphops.Tensor {
	x := g.Index()
	if !x.IsInitializer(v) {
		return nil
	}
	if t := x.Initializer(v); t != nil {
		return t
	}
	if of[g] == nil {
		of[g] = map[string]*graphops.Tensor{}
		for _, s := range g.SparseInitializers() {
			of[g][s.Name()] = s.Values()
		}
	}
	return of[g][x.Name(v)]
}
