package rewrite

import "lathe/graphops"

// Put replaces the elements of a constant, and its shape, for all readers. [Value.Constant] must
// return a tensor for it.
func (v *Value) Put(t *graphops.Tensor) {
	if v.Constant() == nil {
		panic("rewrite: elements are put into " + v.name + ", which is no constant")
	}
	v.constant = t.WithName(v.name)
	v.SetType(typeOf(t))
	v.graph.model.touch(nil)
}

// Reads returns how many of the node's inputs are the value.
func (n *Node) Reads(v *Value) int {
	count := 0
	for _, in := range n.in {
		if in == v {
			count++
		}
	}
	return count
}
