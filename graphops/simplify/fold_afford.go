package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops/rewrite"
)

// sharedBytes is the size from which on a constant that two nodes read makes them
// one group: whether it goes depends on both.
const sharedBytes = 1 << 10

// groupsOf parts nodes that may be folded into groups that have nothing to do with
// each other, each in order.
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

// maxRetreats is how often a group is made smaller until it may grow by what it
// grows by; what follows from each other needs one each.
const maxRetreats = 64

// afford makes a group smaller until it may grow by what it grows by: it leaves the
// nodes whose results are larger than what they are made of. It gives what is left
// and the values that become constants. Growth is taken from what there is.
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
	f.leave(group[0], "what it is computed with grows too much, in too many steps")
	for _, n := range nodes {
		f.in[n] = false
	}
	return nil, nil
}

// stays looks whether all that a node reads is still there; nodes are asked in
// order.
func (f *folding) stays(n *rewrite.Node) bool {
	for _, v := range n.Inputs() {
		if v != nil && v.Constant() == nil && !f.in[v.Producer()] {
			f.in[n] = false
		}
	}
	return f.in[n]
}

// frontier are the values that something else than the nodes needs.
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

// unfit are nodes that make what cannot become a constant, with the reason.
func (f *folding) unfit(wanted []*rewrite.Value) map[*rewrite.Node]string {
	out := map[*rewrite.Node]string{}
	for _, v := range wanted {
		bytes, _ := bytesOf(v)
		switch {
		case v.IsOutput() && !v.Graph().IsMain():
			out[v.Producer()] = "a body or function makes its outputs itself"
		case bytes > maxKept && !f.exact:
			out[v.Producer()] = fmt.Sprintf("its result has %d bytes; up to %d are kept", bytes, maxKept)
		}
	}
	return out
}

// growth is by how much constants grow: what is wanted comes, what only the nodes
// read goes.
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

// largest are the makers of the larger half of the values, by size, and so at least
// of the largest one.
func largest(wanted []*rewrite.Value) map[*rewrite.Node]string {
	most := int64(0)
	for _, v := range wanted {
		bytes, _ := bytesOf(v)
		most = max(most, bytes)
	}
	out := map[*rewrite.Node]string{}
	for _, v := range wanted {
		if bytes, _ := bytesOf(v); bytes > most/2 || bytes == most {
			out[v.Producer()] = fmt.Sprintf("its result has %d bytes, more than constants may still grow by (max-growth)", bytes)
		}
	}
	return out
}
