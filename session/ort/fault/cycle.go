package fault

import (
	"slices"

	"lathe/graphops"
)

// byCycle finds the nodes that are on a cycle or on a path between two cycles, if the text says
// that the graph has a cycle.
func (l *locator) byCycle(Node) []Site {
	if l.fault.Kind != Cycle {
		return nil
	}
	var out []Site
	for _, p := range l.model.Places() {
		for _, i := range circling(p.Graph) {
			out = append(out, Site{p, i})
		}
	}
	return out
}

// circling returns the nodes that are on cycles or on paths between cycles. It repeatedly removes
// nodes that read no output of a remaining node, and then nodes whose outputs no remaining node
// reads.
func circling(g *graphops.Graph) []int {
	before, after := links(g)
	gone := make([]bool, len(g.Nodes()))
	for _, way := range [][2][][]int{{before, after}, {after, before}} {
		peel(way[0], way[1], gone)
	}
	var out []int
	for i, g := range gone {
		if !g {
			out = append(out, i)
		}
	}
	return out
}

// links returns for each node the nodes whose outputs it reads (before), and the nodes that read
// its outputs (after). A node is listed once for each value that connects the two.
func links(g *graphops.Graph) (before, after [][]int) {
	x := g.Index()
	before, after = make([][]int, len(g.Nodes())), make([][]int, len(g.Nodes()))
	for i, n := range g.Nodes() {
		for _, name := range slices.Concat(n.Inputs(), n.Captured()) {
			if id, ok := x.Value(name); ok && name != "" && x.Producer(id) >= 0 {
				before[i] = append(before[i], x.Producer(id))
				after[x.Producer(id)] = append(after[x.Producer(id)], i)
			}
		}
	}
	return before, after
}

// peel repeatedly removes nodes whose entry in needs lists only removed nodes. gone marks the
// removed nodes. frees is the reverse of needs.
func peel(needs, frees [][]int, gone []bool) {
	waits := make([]int, len(needs))
	var free []int
	for i := range needs {
		for _, j := range needs[i] {
			if !gone[j] {
				waits[i]++
			}
		}
		if waits[i] == 0 && !gone[i] {
			free = append(free, i)
		}
	}
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		gone[i] = true
		for _, j := range frees[i] {
			if waits[j]--; waits[j] == 0 && !gone[j] {
				free = append(free, j)
			}
		}
	}
}
