package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Dims are the sizes of a tensor; nil where the rank is unknown or the value is no
// tensor.
func (v *Value) Dims() []dim.Dim {
	if t := v.Type(); t.Kind == graphops.TypeTensor {
		return t.Dims
	}
	return nil
}

// SameSizes reports whether two values are tensors of the same sizes, whatever the
// symbols stand for.
func (v *Value) SameSizes(w *Value) bool {
	a, b := v.Dims(), w.Dims()
	return a != nil && b != nil && slices.EqualFunc(a, b, func(d, e dim.Dim) bool { return d.Err() == nil && d.Equal(e) })
}

// PassOn has everything that reads the only output of the node that is used read
// another value in its place, and removes the node. It reports false and changes
// nothing where ReplaceWith does, or where another output is used.
func (n *Node) PassOn(v *Value) bool {
	for i, o := range n.out {
		if i > 0 && o != nil && o.Uses() > 0 {
			return false
		}
	}
	if v == nil || n.Out(0) == nil || !n.Out(0).ReplaceWith(v) {
		return false
	}
	n.Remove()
	return true
}

// Become makes the node one of another operator of the standard, with other inputs and
// attributes, in the same place and with the same outputs. It holds no bodies.
func (n *Node) Become(op string, in []*Value, attributes ...*graphops.Attribute) {
	name := n.Name()
	if n.Op() != op {
		name = n.graph.model.nameAfter(n, op)
	}
	spec := graphops.NewNode(graphops.NodeSpec{Op: op, Name: name, Attributes: attributes})
	if list := n.spec.Metadata(); len(list) > 0 {
		spec = spec.WithMetadata(list)
	}
	n.spec = spec
	n.SetInputs(in...)
}

// OnlyReaders are the nodes that read the value, if nothing else uses it than their
// input at a position, and each of them is one that the caller wants; nil otherwise.
func (v *Value) OnlyReaders(input int, wanted func(n *Node) bool) []*Node {
	if v == nil || v.outputs > 0 || v.reads == 0 {
		return nil
	}
	readers := v.Readers()
	if len(readers) != v.reads {
		return nil // one reads it by two inputs
	}
	for _, r := range readers {
		if r.In(input) != v || !wanted(r) {
			return nil
		}
	}
	return readers
}
