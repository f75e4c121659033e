package rewrite

// LeaveOut has the node not make an output that nothing uses, so that it is left
// out, as optional outputs can be.
func (n *Node) LeaveOut(i int) {
	if v := n.Out(i); v != nil && v.Uses() == 0 {
		n.out[i] = nil
		n.graph.model.touch(n)
	}
}
