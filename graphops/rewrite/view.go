package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Dims returns the shape of a tensor; nil if the rank is unknown or the value is not a tensor.
func (v *Value) Dims() []dim.Dim {
	if t := v.Type(); t.Kind == graphops.TypeTensor {
		return t.Dims
	}
	return nil
}

// SameSizes reports whether two values are tensors with the same shape for all sizes of the
// symbols.
func (v *Value) SameSizes(w *Value) bool {
	a, b := v.Dims(), w.Dims()
	return a != nil && b != nil && slices.EqualFunc(a, b, func(d, e dim.Dim) bool { return d.Err() == nil && d.Equal(e) })
}

// PassOn lets all readers of the only used output of the node read another value, and removes the
// node. If ReplaceWith fails or another output is used, it returns false and changes nothing.
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

// Become changes the node to another standard operator, with other inputs and attributes, in the
// same position and with the same outputs. The node must not have bodies.
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

// OnlyReaders returns the nodes that read the value, if all of its uses are the given input of
// nodes that the caller accepts; otherwise nil.
func (v *Value) OnlyReaders(input int, wanted func(n *Node) bool) []*Node {
	if v == nil || v.outputs > 0 || v.reads == 0 {
		return nil
	}
	readers := v.Readers()
	if len(readers) != v.reads {
		return nil // a node reads it by two inputs
	}
	for _, r := range readers {
		if r.In(input) != v || !wanted(r) {
			return nil
		}
	}
	return readers
}
