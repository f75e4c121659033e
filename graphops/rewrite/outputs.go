package rewrite

// LeaveOut omits an optional output that nothing uses. At the end of the list it is removed.
func (n *Node) LeaveOut(i int) {
	if v := n.Out(i); v != nil && v.Uses() == 0 {
		n.out[i] = nil
		for last := len(n.out) - 1; last > 0 && n.out[last] == nil; last-- {
			n.out = n.out[:last]
		}
		n.graph.model.touch(n)
	}
}
