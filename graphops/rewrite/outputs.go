package rewrite

// LeaveOut has the node not make an optional output, which nothing uses. Those at the
// end are not even named.
func (n *Node) LeaveOut(i int) {
	if v := n.Out(i); v != nil && v.Uses() == 0 {
		n.out[i] = nil
		for last := len(n.out) - 1; last > 0 && n.out[last] == nil; last-- {
			n.out = n.out[:last]
		}
		n.graph.model.touch(n)
	}
}
