package rewrite

import "lathe/graphops"

// Put replaces the elements and the shape of a constant, for all of its readers. It panics if
// [Value.Constant] returns nil.
func (v *Value) Put(t *graphops.Tensor) {
	if v.Constant() == nil {
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
