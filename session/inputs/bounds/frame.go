package bounds

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxDepth limits how many nested bodies and calls are followed, and over how many nodes a constant
// is searched for.
const maxDepth = 24

// frame is a graph together with how it was reached: the main graph, a body of a node, or a
// function that a certain node calls.
type frame struct {
	graph  *graphops.Graph
	outer  *frame // the enclosing graph, whose names a body can use; nil for other graphs
	caller *frame // the frame of the node that contains or calls the graph
	node   *graphops.Node
	// args maps the graph's inputs to the names that these values have at the caller.
	args  map[string]string
	depth int
	inner map[*graphops.Graph]map[*graphops.Node]*frame
}

// enter returns the frame of a body of node n, or of the function that n calls. inputs are the
// names of the values that become the inputs of g, in order. It returns nil if bodies and calls
// nest too deep.
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

// origin returns the value that a name refers to, and the frame that defines it. A body can use
// names of the enclosing graph. An input of a function refers to the argument of the call.
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

// producer returns the node that computes a value, or nil if there is none.
func (f *frame) producer(v graphops.ValueID) *graphops.Node {
	if i := f.graph.Index().Producer(v); i >= 0 {
		return f.graph.Nodes()[i]
	}
	return nil
}

// maxConstant is the most elements that a constant may have to be read.
const maxConstant = 4096

// ints returns the elements of a small constant if all of them are integers.
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

// wholeNumber converts a number to an integer. It returns false if the number is not an integer.
func wholeNumber(x float64) (int64, bool) {
	n := int64(x)
	return n, float64(n) == x
}

// scalar returns the value of a constant with one element.
func (f *frame) scalar(name string) (float64, bool) {
	values, ok := f.reals(name, 0)
	if !ok || len(values) != 1 {
		return 0, false
	}
	return values[0], true
}

// reals returns the elements of a small constant. The name may be that of a constant or of a value
// that a few nodes pass on from one. depth counts these nodes.
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
	case n.Is("Constant"):
		for _, a := range n.Attributes() {
			if t, err := a.Dense(""); err == nil {
				return elements(t)
			}
		}
	case passes[n.OpType()].whole && len(n.Inputs()) > 0:
		return at.reals(n.Input(0), depth+1)
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
