package bounds

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxDepth bounds how deep calls and bodies are followed, and how far back a constant
// is looked for.
const maxDepth = 24

// frame is a graph as it is reached: the main graph, a body below a node, or a
// function as one node calls it.
type frame struct {
	graph  *graphops.Graph
	outer  *frame // whose names a body sees as well; nil elsewhere
	caller *frame // where the node stands that holds or calls the graph
	node   *graphops.Node
	// args are the caller's names of the graph's inputs.
	args  map[string]string
	depth int
	inner map[*graphops.Graph]map[*graphops.Node]*frame
}

// enter is the frame of a graph that a node holds or calls. inputs are the names
// of the node's inputs that become those of the graph, by position. Nil where it
// would lie too deep.
func (f *frame) enter(n *graphops.Node, g *graphops.Graph, inputs []string, isBody bool) *frame {
	if f.depth == maxDepth {
		return nil
	}
	if known := f.inner[g][n]; known != nil {
		return known
	}
	in := &frame{graph: g, caller: f, node: n, args: map[string]string{}, depth: f.depth + 1, inner: map[*graphops.Graph]map[*graphops.Node]*frame{}}
	if isBody {
		in.outer = f
	}
	for i, formal := range g.Inputs() {
		if i < len(inputs) && inputs[i] != "" {
			in.args[formal.Name()] = inputs[i]
		}
	}
	if f.inner[g] == nil {
		f.inner[g] = map[*graphops.Node]*frame{}
	}
	f.inner[g][n] = in
	return in
}

// origin goes from a name to where it is defined: out of a body, or from an input
// of a function to what the call gives it.
func (f *frame) origin(name string) (*frame, graphops.ValueID, bool) {
	for f != nil {
		x := f.graph.Index()
		v, known := x.Value(name)
		switch actual, formal := f.args[name]; {
		case known && x.IsInput(v) && formal:
			f, name = f.caller, actual
		case known && x.IsDefined(v):
			return f, v, true
		default:
			f = f.outer
		}
	}
	return nil, -1, false
}

// producer is the node that makes a value, nil where none does.
func (f *frame) producer(v graphops.ValueID) *graphops.Node {
	if i := f.graph.Index().Producer(v); i >= 0 {
		return f.graph.Nodes()[i]
	}
	return nil
}

// maxConstant is how many elements of a constant are looked at.
const maxConstant = 4096

// ints reads a small constant of whole numbers.
func (f *frame) ints(name string) ([]int64, bool) {
	values, ok := f.reals(name, 0)
	if !ok {
		return nil, false
	}
	out := make([]int64, len(values))
	for i, x := range values {
		if out[i], ok = wholeNumber(x); !ok {
			return nil, false
		}
	}
	return out, true
}

// wholeNumber is a real number that is whole.
func wholeNumber(x float64) (int64, bool) {
	n := int64(x)
	return n, float64(n) == x
}

// scalar reads a constant of one element.
func (f *frame) scalar(name string) (float64, bool) {
	values, ok := f.reals(name, 0)
	if !ok || len(values) != 1 {
		return 0, false
	}
	return values[0], true
}

// reals reads a small constant.
func (f *frame) reals(name string, depth int) ([]float64, bool) {
	at, v, ok := f.origin(name)
	if !ok || depth > maxDepth {
		return nil, false
	}
	if t := at.graph.Index().Initializer(v); t != nil {
		return elements(t)
	}
	n := at.producer(v)
	switch {
	case n == nil || n.Domain() != graphops.DefaultDomain:
		return nil, false
	case n.OpType() == "Constant":
		for _, a := range n.Attributes() {
			if t, err := a.Dense(""); err == nil {
				return elements(t)
			}
		}
	case passes[n.OpType()].whole && len(n.Inputs()) > 0:
		return at.reals(n.Inputs()[0], depth+1)
	}
	return nil, false
}

func elements(t *graphops.Tensor) ([]float64, bool) {
	n, err := t.Elements()
	kind := t.DType().Kind()
	if err != nil || n > maxConstant || kind == tensor.KindString || kind == tensor.KindComplex {
		return nil, false
	}
	p, err := t.Data()
	if err != nil {
		return nil, false
	}
	b, err := p.Bytes()
	if err != nil {
		return nil, false
	}
	values, err := tensor.Tensor{DType: t.DType(), Shape: t.Dims(), Data: b}.Float64s()
	return values, err == nil
}
