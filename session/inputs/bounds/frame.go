package bounds

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxDepth limits how deep calls and bodies are followed, and how far back a constant is searched.
const maxDepth = 24

// frame is a graph in its context: the main graph, a body of a node, or a function as called by one
// node.
type frame struct {
	graph  *graphops.Graph
	outer  *frame // the enclosing graph, whose names a body can use; nil for other graphs
	caller *frame // the frame of the node that contains or calls the graph
	node   *graphops.Node
	// args maps the graph's inputs to the caller's names for them.
	args  map[string]string
	depth int
	inner map[*graphops.Graph]map[*graphops.Node]*frame
}

// enter returns the frame of a graph that a node contains or calls. inputs are the names of the
// node's inputs that become the graph's inputs, by position. The result is nil if the nesting is
// too deep.
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

// origin returns the definition of a name. It follows the name from a body to the enclosing graph,
// and from an input of a function to the argument of the call.
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

// maxConstant limits the number of elements of a constant that is read.
const maxConstant = 4096

// ints reads a small constant of integers.
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

// wholeNumber converts a real number to an integer, if it is one.
func wholeNumber(x float64) (int64, bool) {
	n := int64(x)
	return n, float64(n) == x
}

// scalar reads a constant with one element.
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
