package rewrite

// LeaveOut omits the output at position i, if nothing uses it. Omitted outputs at the end of the
// list are removed from it.
func (n *Node) LeaveOut(i int) {
	if v := n.Out(i); v != nil && v.Uses() == 0 {
		n.out[i] = nil
		for last := len(n.out) - 1; last > 0 && n.out[last] == nil; last-- {
			n.out = n.out[:last]
		}
		n.graph.model.touch(n)
	}
}
