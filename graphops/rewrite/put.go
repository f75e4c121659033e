package rewrite

import "lathe/graphops"

// Stored returns the tensor of an initializer, also if callers of the model can replace it. It is
// nil if the value is not an initializer, and if it is sparse.
func (v *Value) Stored() *graphops.Tensor { return v.constant }

// Put replaces the elements and the shape of a constant, for all of its readers. It panics if
// [Value.Stored] returns nil.
func (v *Value) Put(t *graphops.Tensor) {
	if v.constant == nil {
		panic("rewrite: elements are put into " + v.name + ", which is not a constant")
	}
	v.constant = t.WithName(v.name)
	v.SetType(typeOf(t))
	v.graph.model.touch(nil)
}

// Reads returns the number of the node's inputs that are the value.
func (n *Node) Reads(v *Value) int {
	count := 0
	for _, in := range n.in {
		if in == v {
			count++
		}
	}
	return count
}
