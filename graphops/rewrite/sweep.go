package rewrite

import "slices"

// Sweep removes the nodes whose outputs are all unused, and returns the number of removed nodes.
// This is correct because ONNX operators have no effect other than their outputs.
func (m *Model) Sweep() int {
	gone := 0
	graphs := m.Graphs()
	// inner graphs first, so that a node which is read only by removed nodes in a body is removed
	// too
	for i := len(graphs) - 1; i >= 0; i-- {
		if h := graphs[i].holder; h == nil || !h.gone {
			gone += graphs[i].sweep()
		}
	}
	return gone
}

// sweep removes unused nodes of one graph. It goes from the end to the start, so that a node is
// examined after its readers.
func (g *Graph) sweep() int {
	gone := 0
	for n := g.last; n != nil; {
		before := n.prev
		if !n.IsUsed() {
			n.Remove()
			gone += 1 + n.inner()
		}
		n = before
	}
	return gone
}

// IsUsed reports whether an output of the node is used.
func (n *Node) IsUsed() bool { return slices.ContainsFunc(n.out, (*Value).IsUsed) }

// inner returns the number of nodes in the bodies of a node, at any depth.
func (n *Node) inner() int {
	count := 0
	for _, b := range n.bodies {
		for i := b.first; i != nil; i = i.next {
			count += 1 + i.inner()
		}
	}
	return count
}

// Count returns the number of nodes, including those in bodies and functions.
func (m *Model) Count() int {
	count := 0
	for _, g := range m.Graphs() {
		count += g.count
	}
	return count
}
