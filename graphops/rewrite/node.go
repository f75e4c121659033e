package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Node is one operation of a graph.
type Node struct {
	graph      *Graph
	spec       *graphops.Node // operator, name, attributes, metadata
	in, out    []*Value       // nil where one is left out
	bodies     []*Graph       // in the order of the attributes
	from       []Site
	prev, next *Node
	gone       bool
	refers     bool // an attribute is that of a function's call
	// taken counts the inputs that are a value, of a node that has many; nil until that
	// is asked.
	taken map[*Value]int
}

// manyInputs is how many inputs are looked through one by one.
const manyInputs = 16

// takes reports whether an input is the value. Nodes of thousands of inputs, which each
// of the values asks, answer at once.
func (n *Node) takes(v *Value) bool {
	if len(n.in) <= manyInputs {
		return slices.Contains(n.in, v)
	}
	if n.taken == nil {
		n.taken = map[*Value]int{}
		for _, in := range n.in {
			n.taken[in]++
		}
	}
	return n.taken[v] > 0
}

// Site is a node of the model that was loaded.
type Site struct {
	Place *graphops.Place
	Node  int
}

// Graph is where the node stands.
func (n *Node) Graph() *Graph { return n.graph }

// Name is the node's name.
func (n *Node) Name() string { return n.spec.Name() }

// Op is the operator's name.
func (n *Node) Op() string { return n.spec.OpType() }

// Domain is the operator's domain, "" of the standard.
func (n *Node) Domain() string { return n.spec.Domain() }

// Is reports whether the node is one of these operators of the standard, with
// attributes that are known: not those of the call of a function that the node
// stands in, and no function of the model that hides the operator.
func (n *Node) Is(ops ...string) bool {
	return n != nil && !n.refers && n.Domain() == graphops.DefaultDomain && slices.Contains(ops, n.Op()) && !n.graph.model.hides(n.spec.Calls())
}

// IsOf is Is for operators of another domain.
func (n *Node) IsOf(domain string, ops ...string) bool {
	return n != nil && !n.refers && n.Domain() == domain && slices.Contains(ops, n.Op()) && !n.graph.model.hides(n.spec.Calls())
}

// In is an input by position, nil where it is left out.
func (n *Node) In(i int) *Value {
	if i >= len(n.in) {
		return nil
	}
	return n.in[i]
}

// Inputs are the values that the node reads, nil where one is left out.
func (n *Node) Inputs() []*Value { return slices.Clone(n.in) }

// Out is an output by position, nil where nobody wants it.
func (n *Node) Out(i int) *Value {
	if i >= len(n.out) {
		return nil
	}
	return n.out[i]
}

// Outputs are the values that the node makes, nil where nobody wants one.
func (n *Node) Outputs() []*Value { return slices.Clone(n.out) }

// Bodies are the graphs that the node's attributes hold.
func (n *Node) Bodies() []*Graph { return slices.Clone(n.bodies) }

// Gone reports whether the node was removed.
func (n *Node) Gone() bool { return n.gone }

// Next is the node behind this one in the order of the graph, nil at the end.
func (n *Node) Next() *Node { return n.next }

// Schema is what the standard or ONNX Runtime says of the operator in the imported
// version; nil where neither knows it.
func (n *Node) Schema() *opschema.Schema {
	s, _ := opschema.Find(n.Domain(), n.Op(), n.graph.Opset(n.Domain()))
	return s
}

// Attribute finds an attribute that the node states.
func (n *Node) Attribute(name string) (*graphops.Attribute, bool) { return n.spec.Attribute(name) }

// Attributes are those that the node states.
func (n *Node) Attributes() []*graphops.Attribute { return n.spec.Attributes() }

// Int is an attribute of the kind INT, or its default where the node states none.
func (n *Node) Int(name string, otherwise int64) int64 {
	if a, ok := n.Attribute(name); ok {
		return a.Int()
	}
	return otherwise
}

// Float is an attribute of the kind FLOAT, or its default where the node states none.
func (n *Node) Float(name string, otherwise float32) float32 {
	if a, ok := n.Attribute(name); ok {
		return a.Float()
	}
	return otherwise
}

// Ints is an attribute of the kind INTS; ok tells whether the node states it.
func (n *Node) Ints(name string) (ints []int64, ok bool) {
	a, ok := n.Attribute(name)
	if !ok {
		return nil, false
	}
	return a.Ints(), true
}

// Text is an attribute of the kind STRING, or its default where the node states none.
func (n *Node) Text(name, otherwise string) string {
	if a, ok := n.Attribute(name); ok {
		return a.Text()
	}
	return otherwise
}

// SetInput has the node read another value, or leave an input out (nil).
func (n *Node) SetInput(i int, v *Value) {
	if n.In(i) == v {
		return
	}
	for i >= len(n.in) {
		n.in, n.taken = append(n.in, nil), nil
	}
	n.in[i].dropReader()
	if n.taken != nil {
		n.taken[n.in[i]]--
		n.taken[v]++
	}
	n.in[i] = v
	v.addReader(n)
	if v == nil {
		n.in, n.taken = withoutEnd(n.in), nil
	}
	n.graph.model.touch(n)
}

// SetInputs has the node read other values, nil where it leaves one out.
func (n *Node) SetInputs(values ...*Value) {
	for _, v := range n.in {
		v.dropReader()
	}
	n.in, n.taken = withoutEnd(values), nil
	for _, v := range n.in {
		v.addReader(n)
	}
	n.graph.model.touch(n)
}

// withoutEnd is a list of inputs without those that are left out at its end, which
// say nothing.
func withoutEnd(values []*Value) []*Value {
	end := len(values)
	for end > 0 && values[end-1] == nil {
		end--
	}
	return slices.Clone(values[:end])
}

// SetAttributes gives the node these attributes in place of its own. It holds no
// bodies.
func (n *Node) SetAttributes(list ...*graphops.Attribute) {
	n.spec = n.spec.WithAttributes(list)
	n.graph.model.touch(n)
}

// SetAttribute sets one attribute, or adds it.
func (n *Node) SetAttribute(a *graphops.Attribute) {
	list := slices.Clone(n.Attributes())
	if i := slices.IndexFunc(list, func(b *graphops.Attribute) bool { return b.Name() == a.Name() }); i >= 0 {
		list[i] = a
	} else {
		list = append(list, a)
	}
	n.SetAttributes(list...)
}

// Stands has the node stand for what others stood for, besides its own: they
// become part of it.
func (n *Node) Stands(others ...*Node) {
	for _, o := range others {
		for _, s := range o.from {
			if !slices.Contains(n.from, s) {
				n.from = append(n.from, s)
			}
		}
	}
}

// From are the nodes of the loaded model that the node stands for.
func (n *Node) From() []Site { return slices.Clone(n.from) }

// Remove takes the node out of its graph. Nothing uses its outputs any more.
func (n *Node) Remove() {
	for _, v := range n.out {
		if v != nil && v.Uses() > 0 {
			panic("rewrite: a node is removed whose output " + v.name + " is used")
		}
	}
	n.graph.model.touch(n)
	n.unlink()
}

// unlink drops the node with its bodies, whatever uses it.
func (n *Node) unlink() {
	n.gone = true
	for _, b := range n.bodies {
		b.drop()
	}
	for _, v := range n.in {
		v.dropReader()
	}
	n.graph.cut(n)
}
