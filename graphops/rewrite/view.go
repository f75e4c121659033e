package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Dims returns the shape of a tensor. It is nil if the rank is unknown or the value is not a
// tensor.
func (v *Value) Dims() []dim.Dim {
	if t := v.Type(); t.Kind == graphops.TypeTensor {
		return t.Dims
	}
	return nil
}

// SameSizes reports whether two values are tensors whose shapes are the same whatever sizes the
// symbols have.
func (v *Value) SameSizes(w *Value) bool {
	a, b := v.Dims(), w.Dims()
	return a != nil && b != nil && slices.EqualFunc(a, b, func(d, e dim.Dim) bool { return d.Err() == nil && d.Equal(e) })
}

// PassOn removes the node and makes the readers of its first output read v instead. If ReplaceWith
// fails or another output of the node is used, PassOn returns false and changes nothing.
func (n *Node) PassOn(v *Value) bool {
	if v == nil || n.Out(0) == nil || slices.ContainsFunc(n.out[1:], (*Value).IsUsed) || !n.Out(0).ReplaceWith(v) {
		return false
	}
	n.Remove()
	return true
}

// Become changes the operator of the node to another standard operator and sets its inputs and
// attributes. The position and the outputs of the node stay the same. Bodies that are not among the
// attributes are dropped: a file may give one to any operator.
func (n *Node) Become(op string, in []*Value, attributes ...*graphops.Attribute) {
	name := n.Name()
	if n.Op() != op {
		name = n.graph.model.nameAfter(n, op)
	}
	if n.bodies != nil {
		n.keepBodies(attributes)
	}
	n.graph.model.ops[op] = true
	n.spec = n.specLike(graphops.NodeSpec{Op: op, Name: name, Attributes: attributes})
	n.SetInputs(in...)
}

// OnlyReaders returns the nodes that read the value, if each of them reads it only as the given
// input and wanted returns true for all of them. Otherwise, and if the value is an output of a
// graph, it returns nil.
func (v *Value) OnlyReaders(input int, wanted func(n *Node) bool) []*Node {
	if v == nil || v.outputs > 0 || v.reads == 0 {
		return nil
	}
	readers := v.Readers()
	if len(readers) != v.reads {
		return nil // a node reads the value by several inputs
	}
	for _, r := range readers {
		if r.In(input) != v || !wanted(r) {
			return nil
		}
	}
	return readers
}
