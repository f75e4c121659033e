package filter

import (
	"lathe/graphops"
	"lathe/graphops/cost"
)

// weights has the numbers of elements and bytes of constants: for each value that is a constant,
// and for each node the sum of its constants.
type weights struct {
	values, nodes []weight
}

type weight struct{ elements, bytes int64 }

func (w *weight) add(o weight) {
	w.elements += o.elements
	w.bytes += o.bytes
}

// weightOf returns the number of elements and bytes of a constant. Both are 0 if its shape is
// invalid.
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

// weigh computes the weights. The constants of a node are those that it reads and those that its
// bodies contain, each counted once.
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
			for _, v := range f.index.Reads(i) { // the list is sorted, so that duplicates are adjacent
				if v != last {
					w.nodes[i].add(f.readBy(n, v, w.values[v]))
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

// readBy returns the weight of a constant as a node reads it, which may take several elements out of
// each byte.
func (f *Facts) readBy(n *graphops.Node, v graphops.ValueID, w weight) weight {
	if t := f.constants()[v]; t != nil {
		if elements, err := cost.ParametersOf(t, n, f.index.Name(v)); err == nil && w.bytes > 0 {
			w.elements = elements
		}
	}
	return w
}

// inside returns the total size of the constants of a body and of the bodies inside it. The
// recursion is not deep, because the decoder limits the nesting.
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

// constants returns, for each value, its initializer, which may be in an enclosing place; nil if it
// has none. Of a sparse initializer it returns the stored elements.
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

// constantsOf has the stored elements of the sparse initializers of graphs, by name.
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
