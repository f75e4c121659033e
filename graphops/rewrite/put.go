package rewrite

import "lathe/graphops"

// Put gives a constant other elements, and the shape that goes with them. Whoever
// reads it reads those. It is a constant that [Value.Constant] tells.
func (v *Value) Put(t *graphops.Tensor) {
	if v.Constant() == nil {
		panic("rewrite: elements are put into " + v.name + ", which is no constant")
	}
	v.constant = t.WithName(v.name)
	v.SetType(typeOf(t))
	v.graph.model.touch(nil)
}

// Reads is how many of the node's inputs are the value.
func (n *Node) Reads(v *Value) int {
	count := 0
	for _, in := range n.in {
		if in == v {
			count++
		}
	}
	return count
}
