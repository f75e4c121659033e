package profile

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// By tells how a node that ran was led back to the model.
type By string

// The ways, from the surest.
const (
	ByName   By = "name"   // the node's name survived, or what an optimization made of it
	ByValues By = "values" // it makes the values that the node made
	ByNone   By = "none"
)

// Origin is where a node that ran comes from.
type Origin struct {
	By    By
	Place *graphops.Place // of the model; nil for By none
	Node  int             // in the place: that whose work this mainly is; -1 for none
	// Members are all nodes of the place whose work this is, Node among them; none where
	// another node that ran has them.
	Members []int
}

// nowhere is the origin of what comes from no node that is known.
var nowhere = Origin{By: ByNone, Node: -1}

// at is a node of the graph that ran.
type at struct {
	place *graphops.Place
	node  int
}

// join leads the nodes of an optimized model back to the original's.
//
// A value of the optimized graph is one of the original if they have the same name:
// optimizations give a node that they make the output of those that it replaces.
// Values without such a counterpart lie inside of what was rewritten. The nodes around
// them, taken together, are a region, and what lies in the original between the values
// that a region reads and those that it makes is the original of the region, exactly.
// Most regions are one node. In one of several each node goes to the original that its
// name or its operator tells, and what was inserted between them to its neighbour.
type join struct {
	weight func(p *graphops.Place, node int) int64 // which of several nodes counts more
	origin map[at]Origin
}

// joinModels joins all places of two models. What calls of functions became stands in
// the place of the call.
func joinModels(original, optimized *graphops.Model, weight func(p *graphops.Place, node int) int64) *join {
	j := &join{weight: weight, origin: map[at]Origin{}}
	from, to := original.Places(), optimized.Places()
	if len(from) == 0 || len(to) == 0 {
		return j
	}
	type both struct{ original, made *graphops.Place }
	for work := []both{{from[0], to[0]}}; len(work) > 0; {
		pair := work[0]
		work = work[1:]
		j.places(pair.original, pair.made)
		for _, body := range pair.made.Bodies {
			o := j.origin[at{pair.made, body.Node}]
			if b := bodyOf(pair.original, o, body); b != nil {
				work = append(work, both{b, body})
			}
		}
	}
	return j
}

// bodyOf is the body of the original that a body was made of; nil where there is none.
func bodyOf(p *graphops.Place, o Origin, made *graphops.Place) *graphops.Place {
	for _, b := range p.Bodies {
		if o.Place == p && b.Node == o.Node && b.Attribute == made.Attribute && b.Nth == made.Nth {
			return b
		}
	}
	return nil
}

// pairing is the join of one place.
type pairing struct {
	*join
	original, made *graphops.Place
	from, to       *graphops.Index
	nodes          map[string]int      // of the original, by name
	alias          map[string]string   // values of the optimized graph by another name
	known          map[string]struct{} // values of the original that the optimized graph has
	taken          []bool              // nodes of the original that a region has
}

func (j *join) places(original, made *graphops.Place) {
	p := &pairing{
		join: j, original: original, made: made, from: original.Graph.Index(), to: made.Graph.Index(),
		nodes: map[string]int{}, alias: map[string]string{}, known: map[string]struct{}{},
		taken: make([]bool, len(original.Graph.Nodes())),
	}
	for i, n := range original.Graph.Nodes() {
		if n.Name() != "" {
			p.nodes[n.Name()] = i
		}
	}
	p.mapValues()
	for _, r := range p.regions() {
		p.region(r)
	}
}

// mapValues finds the values that both graphs have.
func (p *pairing) mapValues() {
	for v := range p.to.Values() {
		if name := p.to.Name(graphops.ValueID(v)); p.to.IsDefined(graphops.ValueID(v)) {
			p.know(name)
		}
	}
	for _, n := range p.made.Graph.Nodes() {
		for _, o := range n.Outputs() {
			p.know(o)
		}
		name, ok := strings.CutSuffix(n.Name(), nchwcSuffix)
		if n.Domain() != nchwcDomain || !ok || len(n.Outputs()) == 0 {
			continue
		}
		if _, there := p.from.Value(name); there {
			p.alias[n.Outputs()[0]] = name
			p.know(name)
		}
	}
}

func (p *pairing) know(name string) {
	if _, ok := p.from.Value(name); ok && name != "" {
		p.known[name] = struct{}{}
	}
}

// counterpart is the value of the original that a value is; false for none.
func (p *pairing) counterpart(name string) (graphops.ValueID, bool) {
	if other, ok := p.alias[name]; ok {
		name = other
	}
	v, ok := p.from.Value(name)
	return v, ok && name != ""
}

// regions are the nodes of the optimized graph that values without a counterpart
// connect, in the graph's order.
func (p *pairing) regions() [][]int {
	nodes := p.made.Graph.Nodes()
	root := make([]int, len(nodes))
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
	for i, n := range nodes {
		for _, name := range n.Outputs() {
			v, ok := p.to.Value(name)
			if _, known := p.counterpart(name); known || !ok || name == "" {
				continue
			}
			for _, reader := range p.to.Readers(v) {
				if a, b := find(i), find(int(reader)); a != b {
					root[max(a, b)] = min(a, b)
				}
			}
		}
	}
	at := map[int]int{}
	var out [][]int
	for i := range nodes {
		r := find(i)
		k, seen := at[r]
		if !seen {
			k = len(out)
			at[r] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// between are the nodes of the original that make what a region makes, down to values
// that the optimized graph has. Each node is in one region at most. Anchor is the node
// that makes the region's last output, whichever region has it; -1 for none.
func (p *pairing) between(region []int) (members []int, anchor int) {
	anchor = -1
	var stack []int
	enter := func(v graphops.ValueID) {
		if n := p.from.Producer(v); n >= 0 && !p.taken[n] {
			p.taken[n] = true
			stack = append(stack, n)
		}
	}
	made := p.made.Graph.Nodes()
	for _, i := range region {
		for _, name := range made[i].Outputs() {
			if v, ok := p.counterpart(name); ok {
				if n := p.from.Producer(v); n >= 0 {
					anchor = n
				}
				enter(v)
			}
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		members = append(members, n)
		for _, v := range p.from.Reads(n) {
			if _, known := p.known[p.from.Name(v)]; !known {
				enter(v)
			}
		}
	}
	slices.Sort(members)
	return members, anchor
}

// region gives every node of a region its origin.
func (p *pairing) region(region []int) {
	members, anchor := p.between(region)
	found := make([]Origin, len(region))
	main := map[int]int{} // node of the original → position in the region of who has its work
	for k, i := range region {
		found[k] = p.ownName(i, members)
		p.claim(main, found, region, k)
	}
	kin := p.kinship(members, main)
	for k, i := range region {
		if found[k].By == ByNone {
			found[k] = p.byOperator(i, members, kin, anchor, len(region))
			p.claim(main, found, region, k)
		}
	}
	p.neighbours(region, found, members, main)
	for k := range region {
		if found[k].By == ByNone && anchor >= 0 {
			found[k] = p.from1(ByValues, anchor)
			p.claim(main, found, region, k)
		}
	}
	p.share(members, found, main)
	for k, i := range region {
		p.origin[at{p.made, i}] = found[k]
	}
}

func (p *pairing) from1(by By, node int) Origin {
	return Origin{By: by, Place: p.original, Node: node}
}

// claim has one node of a region have the work of its original: the first of its kin,
// or the first that there is.
func (p *pairing) claim(main map[int]int, found []Origin, region []int, k int) {
	if found[k].By == ByNone {
		return
	}
	node := found[k].Node
	op := p.original.Graph.Nodes()[node].OpType()
	kin := func(k int) bool { return isKin(p.made.Graph.Nodes()[region[k]].OpType(), op) }
	before, there := main[node]
	if !there || kin(k) && !kin(before) {
		main[node] = k
	}
}

// ownName is the origin that a node's name tells. Where what lies between is known, a
// name that was changed must be one of that.
func (p *pairing) ownName(i int, members []int) Origin {
	n := p.made.Graph.Nodes()[i]
	if node, ok := p.nodes[n.Name()]; ok && n.Name() != "" {
		original := p.original.Graph.Nodes()[node]
		_, inside := slices.BinarySearch(members, node)
		if original.OpType() == n.OpType() && original.Domain() == n.Domain() || inside {
			return p.from1(ByName, node)
		}
	}
	for _, name := range undecorated(n.Name()) {
		node, ok := p.nodes[name]
		if !ok {
			if v, there := p.from.Value(name); there {
				node, ok = p.from.Producer(v), p.from.Producer(v) >= 0
			}
		}
		if !ok {
			continue
		}
		if _, inside := slices.BinarySearch(members, node); !inside && len(members) > 0 {
			continue
		}
		// A name that a value had, or that stands for several nodes, leads there; which of
		// those does the work the operator tells.
		if isKin(n.OpType(), p.original.Graph.Nodes()[node].OpType()) {
			return p.from1(ByName, node)
		}
	}
	return nowhere
}

// byOperator is the origin among what lies between: a node that does the same, or the
// one that counts most where a single node was made of all.
func (p *pairing) byOperator(i int, members []int, kin *kinship, anchor, rows int) Origin {
	if len(members) == 0 {
		return nowhere
	}
	op := p.made.Graph.Nodes()[i].OpType()
	if rows > 1 {
		if m := kin.next(op); m >= 0 {
			return p.from1(ByValues, m)
		}
		if len(members) == 1 {
			return p.from1(ByValues, members[0])
		}
		return nowhere
	}
	best, most, related := anchor, int64(0), false
	for _, m := range members {
		w, same := p.weight(p.original, m), isKin(op, p.original.Graph.Nodes()[m].OpType())
		if same && !related || same == related && w > most {
			best, most, related = m, w, same
		}
	}
	if best < 0 {
		best = members[len(members)-1]
	}
	return p.from1(ByValues, best)
}

// kinship finds nodes of the original by what they do, in their order, each once.
type kinship struct {
	ops  []string // in the order of their first nodes
	left map[string][]int
	main map[int]int // those that are taken
}

func (p *pairing) kinship(members []int, main map[int]int) *kinship {
	k := &kinship{left: map[string][]int{}, main: main}
	for _, m := range members {
		op := p.original.Graph.Nodes()[m].OpType()
		if _, known := k.left[op]; !known {
			k.ops = append(k.ops, op)
		}
		k.left[op] = append(k.left[op], m)
	}
	return k
}

// next is the first node that is not taken and does what the operator does, if need be
// as a part of it; -1 for none.
func (k *kinship) next(made string) int {
	if m := k.first(made); m >= 0 {
		return m
	}
	for _, op := range k.ops {
		if isKin(made, op) {
			if m := k.first(op); m >= 0 {
				return m
			}
		}
	}
	return -1
}

func (k *kinship) first(op string) int {
	list := k.left[op]
	for len(list) > 0 {
		if _, taken := k.main[list[0]]; !taken {
			break
		}
		list = list[1:]
	}
	k.left[op] = list
	if len(list) == 0 {
		return -1
	}
	return list[0]
}

// neighbours gives a node that was inserted the origin of the nearest node of its
// region that has one. One that was not, but is a part of what an operator was taken
// apart into, has the original next to that which no other node has.
func (p *pairing) neighbours(region []int, found []Origin, members []int, main map[int]int) {
	where, apart := map[int]int{}, map[int]bool{}
	var work []int
	for k, i := range region {
		where[i] = k
		if found[k].By != ByNone {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		for _, next := range p.adjacent(i) {
			k, inside := where[next]
			if !inside || found[k].By != ByNone {
				continue
			}
			node := found[where[i]].Node
			if !isInserted(p.made.Graph.Nodes()[next].OpType()) {
				node = p.unclaimed(node, members, main, apart)
				apart[node] = node != found[where[i]].Node || apart[node]
			}
			found[k] = p.from1(ByValues, node)
			p.claim(main, found, region, k)
			work = append(work, next)
		}
	}
}

// unclaimed is a node of the original next to one, among some, that no node that ran has
// the work of, or that was taken apart itself; the node itself where there is none.
func (p *pairing) unclaimed(node int, members []int, main map[int]int, apart map[int]bool) int {
	const most = 64 // of what may be beside one node
	beside := p.beside(node)
	for _, next := range beside[:min(len(beside), most)] {
		_, inside := slices.BinarySearch(members, next)
		if _, claimed := main[next]; inside && (!claimed || apart[next]) && !isInserted(p.original.Graph.Nodes()[next].OpType()) {
			return next
		}
	}
	return node
}

// adjacent are the nodes of the optimized graph beside one, over values without a
// counterpart: those that make what it reads, then those that read what it makes.
func (p *pairing) adjacent(i int) []int {
	var out []int
	for _, v := range p.to.Reads(i) {
		if _, known := p.counterpart(p.to.Name(v)); !known && p.to.Producer(v) >= 0 {
			out = append(out, p.to.Producer(v))
		}
	}
	for _, v := range p.to.Makes(i) {
		if _, known := p.counterpart(p.to.Name(v)); known {
			continue
		}
		for _, r := range p.to.Readers(v) {
			out = append(out, int(r))
		}
	}
	return out
}

// share gives the nodes of the original that no node of the region is named for to the
// nearest one that has an original.
func (p *pairing) share(members []int, found []Origin, main map[int]int) {
	owner := map[int]int{} // node of the original → position in the region
	var work []int
	for _, m := range members {
		if k, has := main[m]; has {
			owner[m] = k
			work = append(work, m)
		}
	}
	inside := map[int]bool{}
	for _, m := range members {
		inside[m] = true
	}
	for len(work) > 0 {
		m := work[0]
		work = work[1:]
		for _, next := range p.beside(m) {
			if _, has := owner[next]; !has && inside[next] {
				owner[next] = owner[m]
				work = append(work, next)
			}
		}
	}
	first := slices.IndexFunc(found, func(o Origin) bool { return o.By != ByNone })
	for _, m := range members {
		k, has := owner[m]
		if !has {
			k = first
		}
		if k >= 0 {
			found[k].Members = append(found[k].Members, m)
		}
	}
}

// beside are the nodes of the original next to one: readers first, so that what
// follows a product is fused with it.
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
