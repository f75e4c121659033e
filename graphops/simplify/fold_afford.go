package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops/rewrite"
)

// sharedBytes is the size from which a constant that two nodes read puts them into one group,
// because whether it can be removed depends on both.
const sharedBytes = 1 << 10

// groupsOf divides nodes that may be folded into independent groups, each in order.
func groupsOf(nodes []*rewrite.Node) [][]*rewrite.Node {
	parent := make(map[*rewrite.Node]*rewrite.Node, len(nodes))
	root := func(n *rewrite.Node) *rewrite.Node {
		for parent[n] != n {
			parent[n] = parent[parent[n]]
			n = parent[n]
		}
		return n
	}
	first := map[*rewrite.Value]*rewrite.Node{}
	for _, n := range nodes {
		parent[n] = n
		for _, v := range n.Inputs() {
			switch {
			case v == nil:
			case v.Constant() == nil:
				parent[root(n)] = root(v.Producer())
			case first[v] != nil:
				parent[root(n)] = root(first[v])
			default:
				if bytes, ok := bytesOf(v); ok && bytes >= sharedBytes {
					first[v] = n
				}
			}
		}
	}
	at := map[*rewrite.Node]int{}
	var out [][]*rewrite.Node
	for _, n := range nodes {
		r := root(n)
		i, ok := at[r]
		if !ok {
			i = len(out)
			at[r] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], n)
	}
	return out
}

// maxRetreats is the maximum number of times a group is reduced until its growth is acceptable.
// Nodes that depend on each other need one time each.
const maxRetreats = 64

// afford removes nodes from a group until constants may grow by what the rest needs: nodes whose
// outputs cannot become constants, and then those with the largest results. It returns the
// remaining nodes and the values that become constants, and reserves the growth.
func (f *folding) afford(group []*rewrite.Node) (nodes []*rewrite.Node, wanted []*rewrite.Value) {
	nodes = group
	for range maxRetreats {
		wanted = f.frontier(nodes)
		drop := f.unfit(wanted)
		if len(drop) == 0 {
			bytes := growth(nodes, wanted)
			if bytes <= int64(len(nodes))*freeBytes || f.grow(bytes) {
				return nodes, wanted
			}
			drop = largest(wanted)
		}
		for n, why := range drop {
			f.leave(n, why)
			f.in[n] = false
		}
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *rewrite.Node) bool { return !f.stays(n) })
		if len(nodes) == 0 {
			return nil, nil
		}
	}
	f.leave(group[0], "with the nodes around it, constants would grow too much, and the search for a smaller set was stopped")
	for _, n := range nodes {
		f.in[n] = false
	}
	return nil, nil
}

// stays reports whether all inputs of a node are constants or outputs of remaining nodes. Nodes
// must be checked in order.
func (f *folding) stays(n *rewrite.Node) bool {
	for _, v := range n.Inputs() {
		if v != nil && v.Constant() == nil && !f.in[v.Producer()] {
			f.in[n] = false
		}
	}
	return f.in[n]
}

// frontier returns the outputs of the nodes that are read by other nodes, or are outputs of the
// graph.
func (f *folding) frontier(nodes []*rewrite.Node) []*rewrite.Value {
	var out []*rewrite.Value
	for _, n := range nodes {
		for _, v := range n.Outputs() {
			if v != nil && (v.IsOutput() || slices.ContainsFunc(v.Readers(), func(r *rewrite.Node) bool { return !f.in[r] })) {
				out = append(out, v)
			}
		}
	}
	return out
}

// unfit returns the nodes whose outputs cannot become constants, with the reasons.
func (f *folding) unfit(wanted []*rewrite.Value) map[*rewrite.Node]string {
	out := map[*rewrite.Node]string{}
	for _, v := range wanted {
		bytes, _ := bytesOf(v)
		switch {
		case v.IsOutput() && !v.Graph().IsMain():
			out[v.Producer()] = "an output of a body or function cannot be a constant"
		case bytes > maxKept && !f.exact:
			out[v.Producer()] = fmt.Sprintf("its result has %d bytes; at most %d are stored as a constant", bytes, maxKept)
		}
	}
	return out
}

// growth returns by how much constants grow: the wanted values are added, and constants that
// only these nodes read are removed.
func growth(nodes []*rewrite.Node, wanted []*rewrite.Value) int64 {
	in := map[*rewrite.Node]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	total := int64(0)
	for _, v := range wanted {
		bytes, _ := bytesOf(v)
		total += bytes
	}
	seen := map[*rewrite.Value]bool{}
	for _, n := range nodes {
		for _, v := range n.Inputs() {
			if v == nil || v.Constant() == nil || seen[v] {
				continue
			}
			seen[v] = true
			bytes, ok := bytesOf(v)
			if ok && !v.IsOutput() && !slices.ContainsFunc(v.Readers(), func(r *rewrite.Node) bool { return !in[r] }) {
				total -= bytes
			}
		}
	}
	return total
}

// largest returns the nodes that produce the largest values: all that have more than half of the
// size of the largest.
func largest(wanted []*rewrite.Value) map[*rewrite.Node]string {
	most := int64(0)
	for _, v := range wanted {
		bytes, _ := bytesOf(v)
		most = max(most, bytes)
	}
	out := map[*rewrite.Node]string{}
	for _, v := range wanted {
		if bytes, _ := bytesOf(v); bytes > most/2 || bytes == most {
			out[v.Producer()] = fmt.Sprintf("its result has %d bytes, more than constants may still grow (--max-growth)", bytes)
		}
	}
	return out
}
