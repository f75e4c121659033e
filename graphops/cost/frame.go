package cost

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// frame is one run of the main graph, of a body at its node, or of a function at a call.
type frame struct {
	place   *graphops.Place
	entries []entry // in execution order
	// given has the sizes in bytes of those inputs of the place that its nodes read.
	given map[graphops.ValueID]dim.Dim
}

// entry is a node in a frame, with its cost and what it runs.
type entry struct {
	node  int32
	cost  Node
	out   []dim.Dim // bytes of the outputs
	inner []*frame  // what the node enters
	never bool      // the node is not run
}

// holders lists the operators whose own cost is 0, because their bodies do all the work. branching
// lists those that run only one of their bodies. The others run their body repeatedly and collect
// its results.
var (
	holders   = operators(map[string][]string{onnx: {"If", "Loop", "Scan", "SequenceMap"}})
	branching = operators(map[string][]string{onnx: {"If"}})
)

// builder builds the frames while shape inference visits the nodes. A node is visited after the
// nodes of its bodies, or of the function that it calls.
type builder struct {
	functions map[graphops.FunctionKey]*graphops.Place
	open      []*frame // frames whose node has not been visited yet
	sizes     sizes
	why       map[spot]error // why a node's multiply-accumulates are unknown
}

func (b *builder) visit(v shape.Visit) {
	var inner []*frame
	for len(b.open) > 0 && b.enters(v, b.open[len(b.open)-1]) {
		inner = append(inner, b.open[len(b.open)-1])
		b.open = b.open[:len(b.open)-1]
	}
	n := node{v, b.sizes}
	e := entry{node: int32(v.Index), inner: inner, never: v.Times.Is(0), cost: b.cost(n, inner)}
	for i, name := range v.Node.Outputs() {
		switch {
		case name == "" || constants()[n.Node.Op()]:
			e.out = append(e.out, dim.Number(0))
		default:
			e.out = append(e.out, n.bytes(v.Out[i]))
		}
	}
	f := b.frame(v.Place)
	f.entries = append(f.entries, e)
	f.take(n)
}

// enters reports whether f is a run of a body of the visited node, or of the function that it
// calls.
func (b *builder) enters(v shape.Visit, f *frame) bool {
	if f.place.Kind == graphops.BodyGraph {
		return f.place.Parent == v.Place && f.place.Node == v.Index
	}
	return f.place.Kind == graphops.FunctionBody && b.functions[v.Node.Calls()] == f.place
}

// frame returns the frame of the place to which the visited node is added. It opens one if the last
// open frame belongs to another place.
func (b *builder) frame(p *graphops.Place) *frame {
	if k := len(b.open) - 1; k >= 0 && b.open[k].place == p {
		return b.open[k]
	}
	f := &frame{place: p, given: map[graphops.ValueID]dim.Dim{}}
	b.open = append(b.open, f)
	return f
}

// take records the sizes of those inputs of the place that the node reads.
func (f *frame) take(n node) {
	x := f.place.Graph.Index()
	for i, name := range n.Node.Inputs() {
		if !n.has(i) {
			continue
		}
		if id, ok := x.Value(name); ok && x.Producer(id) < 0 && x.IsInput(id) && !x.IsInitializer(id) {
			f.given[id] = n.bytes(*n.In[i])
		}
	}
}

// cost returns the cost of the node without that of its bodies, or of the function that it calls.
func (b *builder) cost(n node, inner []*frame) Node {
	own := Node{MACs: dim.Number(0), Read: dim.Number(0), Written: dim.Number(0)}
	switch {
	case n.Times.Is(0), b.functions[n.Node.Calls()] != nil:
		return own
	case holders()[n.Node.Op()]:
		if len(inner) == 0 && n.holdsNodes() {
			own.MACs, own.Read, own.Written = dim.Unknown(), dim.Unknown(), dim.Unknown()
			b.why[spot{n.Place.ID, n.Index}] = ErrSizes
		}
		return own
	}
	read, written := n.traffic()
	once := n.macs()
	own.MACs, own.Read, own.Written = once.Mul(n.Times), read.Mul(n.Times), written.Mul(n.Times)
	if err := n.unknown(once, own.MACs); err != nil {
		b.why[spot{n.Place.ID, n.Index}] = err
	}
	return own
}

// holdsNodes reports whether a body of the node has nodes.
func (n node) holdsNodes() bool {
	for _, b := range n.Place.Bodies {
		if b.Node == n.Index && len(b.Graph.Nodes()) > 0 {
			return true
		}
	}
	return false
}
