package summary

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// view is a place with its marks.
type view struct {
	place  *graphops.Place
	x      *graphops.Index
	nodes  []*graphops.Node
	shapes *shape.Result // may be nil
	marks  []*mark       // in the order of the nodes
	at     []*mark       // by node; nil for most
	// order has the nodes, producers first, and position the position of each node in it. Files may
	// have them in another order.
	order, position []int32
	covered         []bool // nodes that are in a part
	// inside has the number of the last block that each node was in.
	inside []int32
	block  int32
}

func newView(p *graphops.Place, shapes *shape.Result) *view {
	nodes := p.Graph.Nodes()
	v := &view{place: p, x: p.Graph.Index(), nodes: nodes, shapes: shapes}
	v.at, v.inside, v.covered = make([]*mark, len(nodes)), make([]int32, len(nodes)), make([]bool, len(nodes))
	v.sort()
	return v
}

// sort puts the nodes into an order. Nodes that depend on themselves keep that of the file.
func (v *view) sort() {
	v.order, v.position = make([]int32, len(v.nodes)), make([]int32, len(v.nodes))
	order, err := v.place.Graph.Order()
	for at := range v.nodes {
		i := at
		if err == nil {
			i = order[at]
		}
		v.order[at], v.position[i] = int32(i), int32(at)
	}
}

// none is the number of a value that does not exist.
const none graphops.ValueID = -1

// in returns the value that a node reads as its nth input.
func (v *view) in(n *graphops.Node, nth int) graphops.ValueID { return v.named(n.Inputs(), nth) }

// out returns the value that a node makes as its nth output.
func (v *view) out(n *graphops.Node, nth int) graphops.ValueID { return v.named(n.Outputs(), nth) }

func (v *view) named(names []string, nth int) graphops.ValueID {
	if nth >= len(names) || names[nth] == "" {
		return none
	}
	if id, ok := v.x.Value(names[nth]); ok {
		return id
	}
	return none
}

// producer returns the index of the node that makes a value, or -1.
func (v *view) producer(id graphops.ValueID) int {
	if id == none {
		return -1
	}
	return v.x.Producer(id)
}

// dims returns the sizes of a tensor, or nil if the rank is not known.
func (v *view) dims(id graphops.ValueID) []dim.Dim {
	if id == none {
		return nil
	}
	if v.shapes != nil {
		if d := v.shapes.Value(v.place, id).Dims; d != nil {
			return d
		}
	}
	if t := v.x.Initializer(id); t != nil {
		out := []dim.Dim{}
		for _, n := range t.Dims() {
			out = append(out, dim.Number(n))
		}
		return out
	}
	return shape.FromFile(v.place.Type(id)).Dims
}

// size returns the number that an axis of a tensor has; 0 if it is not known or there is no such
// axis. A negative axis counts from the end.
func (v *view) size(id graphops.ValueID, axis int) int64 {
	d := v.dims(id)
	if axis < 0 {
		axis += len(d)
	}
	if axis < 0 || axis >= len(d) {
		return 0
	}
	n, ok := d[axis].Number()
	if !ok || n < 0 {
		return 0
	}
	return n
}

// elem returns the type of the elements of a tensor, as far as it is known.
func (v *view) elem(id graphops.ValueID) tensor.DType {
	if v.shapes != nil {
		if t := v.shapes.Value(v.place, id); t.Elem != tensor.Undefined {
			return t.Elem
		}
	}
	return v.place.Type(id).Elem
}

// number returns an attribute of a node that is an integer, or a default.
func number(n *graphops.Node, name string, otherwise int64) int64 {
	if a, ok := n.Attribute(name); ok {
		return a.Int()
	}
	return otherwise
}

// maxHops limits how many nodes are between a constant and its reader.
const maxHops = 8

// shaping are operators through which weights pass on their way to a product, by the first input.
var shaping = ops("Cast", "DequantizeLinear", "Identity", "QuantizeLinear", "Reshape", "Squeeze", "Transpose", "Unsqueeze")

// isConstant reports whether a value is stored in the model, apart from its form.
func (v *view) isConstant(id graphops.ValueID) bool {
	for range maxHops {
		if id == none {
			return false
		}
		if v.x.IsInitializer(id) {
			return true
		}
		p := v.x.Producer(id)
		if p < 0 {
			return !v.x.IsInput(id) && v.isOuterConstant(id)
		}
		n := v.nodes[p]
		switch {
		case n.IsConstant():
			return true
		case !shaping[n.Op()]:
			return false
		}
		id = v.in(n, 0)
	}
	return false
}

// isOuterConstant reports whether a value that a body captures is a constant.
func (v *view) isOuterConstant(id graphops.ValueID) bool {
	if v.place.Parent == nil {
		return false
	}
	_, where := v.place.Parent.Constant(v.x.Name(id))
	return where != nil
}

// ops returns a set of standard operators.
func ops(names ...string) map[graphops.Op]bool {
	out := map[graphops.Op]bool{}
	for _, name := range names {
		out[graphops.Op{Name: name}] = true
	}
	return out
}

// and returns a set of operators with those of ONNX Runtime added.
func and(set map[graphops.Op]bool, names ...string) map[graphops.Op]bool {
	if set == nil {
		set = map[graphops.Op]bool{}
	}
	for _, name := range names {
		set[graphops.Op{Domain: graphops.MicrosoftDomain, Name: name}] = true
	}
	return set
}
