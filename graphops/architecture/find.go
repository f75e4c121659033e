package architecture

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/summary"
	"lathe/graphops/tensor"
)

// finder is a model that is being described. All nodes are those of one place.
type finder struct {
	m      *graphops.Model
	place  *graphops.Place
	x      *graphops.Index
	nodes  []*graphops.Node
	shapes *shape.Result // may be nil
	ports  *roles.Roles
	found  *summary.Summary
	// home is the part and the repetition of each node.
	home []home
	// turned are the rotary embeddings whose angles other nodes compute, by the part and repetition
	// that they reach.
	turned map[home]source
	tables map[*graphops.Tensor]angles // that were read
}

// home is a repetition of a part. part is -1 for nodes outside.
type home struct{ part, layer int }

var nowhere = home{-1, -1}

const none graphops.ValueID = -1

func newFinder(m *graphops.Model, shapes *shape.Result, ports *roles.Roles, found *summary.Summary) *finder {
	f := &finder{m: m, place: found.Place, x: found.Place.Graph.Index(), nodes: found.Place.Graph.Nodes(), shapes: shapes, ports: ports, found: found}
	f.turned, f.tables = map[home]source{}, map[*graphops.Tensor]angles{}
	f.home = make([]home, len(f.nodes))
	for i := range f.home {
		f.home[i] = nowhere
	}
	for i := range found.Parts {
		for k, nodes := range found.Parts[i].Nodes {
			for _, n := range nodes {
				f.home[n] = home{i, k}
			}
		}
	}
	return f
}

func (f *finder) value(name string) graphops.ValueID {
	if id, ok := f.x.Value(name); ok && name != "" {
		return id
	}
	return none
}

func (f *finder) in(n *graphops.Node, nth int) graphops.ValueID {
	if nth < 0 || nth >= len(n.Inputs()) {
		return none
	}
	return f.value(n.Inputs()[nth])
}

// out returns the first output of a node.
func (f *finder) out(n *graphops.Node) graphops.ValueID {
	if len(n.Outputs()) == 0 {
		return none
	}
	return f.value(n.Output(0))
}

// maker returns the node that makes a value, or nil.
func (f *finder) maker(id graphops.ValueID) *graphops.Node {
	if p := f.producerOf(id); p >= 0 {
		return f.nodes[p]
	}
	return nil
}

// producerOf returns the index of the node that makes a value, or -1.
func (f *finder) producerOf(id graphops.ValueID) int {
	if id == none {
		return -1
	}
	return f.x.Producer(id)
}

// constant returns the stored tensor that a value is, or nil.
func (f *finder) constant(id graphops.ValueID) *graphops.Tensor {
	if id == none {
		return nil
	}
	t, _ := f.place.Constant(f.x.Name(id))
	return t
}

// dims returns the sizes of a value of a place, or nil if the rank is not known.
func (f *finder) dims(p *graphops.Place, name string) []dim.Dim {
	id, ok := p.Graph.Index().Value(name)
	if !ok {
		return nil
	}
	if f.shapes != nil {
		if d := f.shapes.Value(p, id).Dims; d != nil {
			return d
		}
	}
	return shape.FromFile(p.Type(id)).Dims
}

// shaping are operators through which a value passes with all its elements unchanged in number, by
// the first input.
var shaping = map[string]bool{
	"Cast": true, "DequantizeLinear": true, "Identity": true, "QuantizeLinear": true, "Reshape": true, "Squeeze": true, "Transpose": true, "Unsqueeze": true, "Flatten": true,
}

// maxHops limits how far is looked from a value.
const maxHops = 16

// stored returns the stored tensor from which a value comes by nodes that only shape it, or nil.
func (f *finder) stored(id graphops.ValueID) *graphops.Tensor {
	for range maxHops {
		if t := f.constant(id); t != nil {
			return t
		}
		n := f.maker(id)
		if n == nil || !shaping[n.StandardOp()] {
			return nil
		}
		id = f.in(n, 0)
	}
	return nil
}

// scalar returns the number that a stored value of one element has.
func (f *finder) scalar(id graphops.ValueID) (float64, bool) {
	t := f.constant(id)
	if t == nil {
		if n := f.maker(id); n != nil && n.IsConstant() {
			for _, a := range n.Attributes() {
				if d, err := a.Dense(""); err == nil {
					t = d
				}
			}
		}
	}
	if t == nil {
		return 0, false
	}
	list := numbers(t, 1)
	if n, err := t.Elements(); err != nil || n != 1 || len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// called describes a node for evidence.
func called(n *graphops.Node) string {
	name := n.Name()
	if name == "" && len(n.Outputs()) > 0 {
		name = n.Output(0)
	}
	return fmt.Sprintf("%s %s", n.OpType(), graphops.ShortQuoted(name))
}

// integer returns an attribute that is an integer.
func integer(n *graphops.Node, name string) (int64, bool) {
	a, ok := n.Attribute(name)
	if !ok || a.RefName() != "" || a.Kind() != graphops.AttrInt {
		return 0, false
	}
	return a.Int(), true
}

func integerOr(n *graphops.Node, name string, otherwise int64) int64 {
	if v, ok := integer(n, name); ok {
		return v
	}
	return otherwise
}

// real returns an attribute that is a finite number.
func real(n *graphops.Node, name string) (float64, bool) {
	a, ok := n.Attribute(name)
	if !ok || a.RefName() != "" || a.Kind() != graphops.AttrFloat {
		return 0, false
	}
	v := float64(a.Float())
	return v, tensor.IsFinite(v)
}
