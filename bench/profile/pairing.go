package profile

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// pairing is a place of the original and the corresponding place of the optimized model, made.
type pairing struct {
	*join
	original, made *graphops.Place
	from, to       *graphops.Index
	fromNodes      []*graphops.Node
	toNodes        []*graphops.Node
	names          map[string]int     // nodes of the original
	same           []graphops.ValueID // by value of made: the equal value of the original, -1 for none
	known          []bool             // values of the original that made has too
	taken          []bool             // nodes of the original that belong to a region
}

func newPairing(j *join, original, made *graphops.Place) *pairing {
	p := &pairing{
		join: j, original: original, made: made, from: original.Graph.Index(), to: made.Graph.Index(),
		fromNodes: original.Graph.Nodes(), toNodes: made.Graph.Nodes(), names: map[string]int{},
	}
	p.same, p.known, p.taken = make([]graphops.ValueID, p.to.Values()), make([]bool, p.from.Values()), make([]bool, len(p.fromNodes))
	for i, n := range p.fromNodes {
		if n.Name() != "" {
			p.names[n.Name()] = i
		}
	}
	for v := range p.same {
		p.same[v] = p.named(p.to.Name(graphops.ValueID(v)))
		if w := p.same[v]; w >= 0 && p.to.IsDefined(graphops.ValueID(v)) {
			p.known[w] = true
		}
	}
	for i, n := range p.toNodes { // blocks of channels
		name, ok := strings.CutSuffix(n.Name(), nchwcSuffix)
		w := p.named(name)
		if made := p.makes(i); ok && n.Domain() == nchwcDomain && w >= 0 && len(made) > 0 {
			p.same[made[0]], p.known[w] = w, true
		}
	}
	return p
}

// named returns the value of the original with a name, or -1.
func (p *pairing) named(name string) graphops.ValueID {
	if v, ok := p.from.Value(name); ok && name != "" {
		return v
	}
	return -1
}

// makes returns the values that node i of the optimized graph produces, also those that another
// definition overrides.
func (p *pairing) makes(i int) []graphops.ValueID {
	var out []graphops.ValueID
	for _, name := range p.toNodes[i].Outputs() {
		if v, ok := p.to.Value(name); ok && name != "" {
			out = append(out, v)
		}
	}
	return out
}

// regions returns the regions of the optimized graph: groups of nodes that are connected by values
// without a counterpart in the original. Groups and their nodes are in graph order.
func (p *pairing) regions() [][]int {
	root := make([]int, len(p.toNodes))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for i := range p.toNodes {
		for next := range p.readers(i) {
			if a, b := find(i), find(next); a != b {
				root[max(a, b)] = min(a, b)
			}
		}
	}
	groups := make([][]int, len(root)) // by root
	for i := range root {
		r := find(i)
		groups[r] = append(groups[r], i)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
}

// readers yields the nodes of the optimized graph that read values without a counterpart which node
// i computes.
func (p *pairing) readers(i int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for _, v := range p.makes(i) {
			if p.same[v] >= 0 {
				continue
			}
			for _, r := range p.to.Readers(v) {
				if !yield(int(r)) {
					return
				}
			}
		}
	}
}

// adjacent returns the nodes of the optimized graph that are connected to node i by a value without
// a counterpart: first the nodes that compute such inputs, then those that read such outputs.
func (p *pairing) adjacent(i int) []int {
	var out []int
	for _, v := range p.to.Reads(i) {
		if p.same[v] < 0 && p.to.Producer(v) >= 0 {
			out = append(out, p.to.Producer(v))
		}
	}
	return slices.AppendSeq(out, p.readers(i))
}

// beside returns the nodes of the original that read an output of node, and then those that compute
// one of its inputs. In this order, an operator that follows a matrix product is counted as fused
// with the product.
func (p *pairing) beside(node int) []int {
	var out []int
	for _, v := range p.from.Makes(node) {
		for _, r := range p.from.Readers(v) {
			out = append(out, int(r))
		}
	}
	for _, v := range p.from.Reads(node) {
		if n := p.from.Producer(v); n >= 0 {
			out = append(out, n)
		}
	}
	return out
}

// between returns the members of a region: the nodes of the original that compute the region's
// outputs, back to values that the optimized graph has too. A node becomes a member of at most one
// region. anchor is the node of the original that computes the region's last output, even if it is
// a member of another region; -1 if no node computes it.
func (p *pairing) between(region []int) (members []int, anchor int) {
	anchor = -1
	enter := func(v graphops.ValueID) {
		if n := p.from.Producer(v); n >= 0 && !p.taken[n] {
			p.taken[n] = true
			members = append(members, n)
		}
	}
	for _, i := range region {
		for _, made := range p.makes(i) {
			if v := p.same[made]; v >= 0 && p.from.Producer(v) >= 0 {
				anchor = p.from.Producer(v)
				enter(v)
			}
		}
	}
	for k := 0; k < len(members); k++ {
		for _, v := range p.from.Reads(members[k]) {
			if !p.known[v] {
				enter(v)
			}
		}
	}
	slices.Sort(members)
	return members, anchor
}
