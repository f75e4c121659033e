package profile

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// By says how a node that ran was mapped to the model.
type By string

// The ways, the most reliable first.
const (
	ByName   By = "name"   // the node's name is unchanged, or derived by an optimization
	ByValues By = "values" // it computes the values that the node computed
	ByNone   By = "none"
)

// Origin is the part of the model that a node that ran comes from.
type Origin struct {
	By    By
	Place *graphops.Place // in the model; nil for ByNone
	Node  int             // the main node in the place, -1 if none
	// Members are all nodes of the place whose work this node does, including Node. It is empty
	// if other nodes that ran do that work.
	Members []int
}

// nowhere is the origin of a node that no known node corresponds to.
var nowhere = Origin{By: ByNone, Node: -1}

// at is a node of the graph that ran.
type at struct {
	place *graphops.Place
	node  int
}

// join maps the nodes of an optimized model to those of the original.
//
// A value of the optimized graph equals a value of the original if they have the same name, because
// an optimization gives a new node the output of the nodes that it replaces. Values without such a
// counterpart are inside a rewritten part. The nodes connected by them form a region. The nodes of
// the original between the values that a region reads and those that it computes are exactly the
// region's original.
//
// Most regions are a single node. In a larger region each node is mapped to the original that its
// name or its operator suggests, and inserted nodes to the original of a neighbour.
type join struct {
	weight func(p *graphops.Place, node int) int64 // larger for the node that matters more
	origin map[at]Origin
}

// joinModels joins all places of two models. Nodes from an inlined function are mapped to the
// call.
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

// bodyOf returns the body of the original that the body made comes from, or nil.
func bodyOf(p *graphops.Place, o Origin, made *graphops.Place) *graphops.Place {
	for _, b := range p.Bodies {
		if o.Place == p && b.Node == o.Node && b.Attribute == made.Attribute && b.Nth == made.Nth {
			return b
		}
	}
	return nil
}

// pairing joins one place.
type pairing struct {
	*join
	original, made *graphops.Place
	from, to       *graphops.Index
	nodes          map[string]int      // of the original, by name
	alias          map[string]string   // values of the optimized graph → their names in the original
	known          map[string]struct{} // values of the original that are also in the optimized graph
	taken          []bool              // nodes of the original that belong to a region
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

// counterpart returns the value of the original that corresponds to a value of the optimized
// graph.
func (p *pairing) counterpart(name string) (graphops.ValueID, bool) {
	if other, ok := p.alias[name]; ok {
		name = other
	}
	v, ok := p.from.Value(name)
	return v, ok && name != ""
}

// regions returns the groups of nodes of the optimized graph that are connected by values
// without a counterpart, in graph order.
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

// between returns the nodes of the original that compute a region's outputs, back to values that
// the optimized graph has too. Each node is in at most one region. anchor is the node that computes
// the region's last output, whichever region it is in; -1 if none.
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

// region sets the origin of every node of a region.
func (p *pairing) region(region []int) {
	members, anchor := p.between(region)
	found := make([]Origin, len(region))
	// node of the original → position in the region of the node that does its work
	main := map[int]int{}
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

// claim records that a region's node does the work of its original node. Of several nodes with
// the same original, the first of the same kind has it, or else the first.
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

// ownName returns the origin that a node's name suggests. If the region's members are known, a
// changed name must belong to one of them.
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
		// A name may derive from a value, or from one of several nodes that became this one. The
		// operator decides whether the node found does this work.
		if isKin(n.OpType(), p.original.Graph.Nodes()[node].OpType()) {
			return p.from1(ByName, node)
		}
	}
	return nowhere
}

// byOperator chooses an origin among the members: one with the same kind of operator, or, if a
// single node replaces all of them, the one with the largest weight.
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

// kinship finds members by their operator, in order, each once.
type kinship struct {
	ops  []string // in the order of their first nodes
	left map[string][]int
	main map[int]int // nodes that are already claimed
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

// next returns the first unclaimed member with the same operator, or else with an operator of
// the same kind; -1 if there is none.
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

// neighbours gives inserted nodes the origin of the nearest node in the region that has one. A
// node that was not inserted is a part of an operator that was split. It gets a nearby original
// node that no other node has claimed.
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

// unclaimed returns a member next to node whose work no other node does, or that was split
// itself. If there is none, it returns node.
func (p *pairing) unclaimed(node int, members []int, main map[int]int, apart map[int]bool) int {
	const most = 64 // limit for the nodes beside one node
	beside := p.beside(node)
	for _, next := range beside[:min(len(beside), most)] {
		_, inside := slices.BinarySearch(members, next)
		if _, claimed := main[next]; inside && (!claimed || apart[next]) && !isInserted(p.original.Graph.Nodes()[next].OpType()) {
			return next
		}
	}
	return node
}

// adjacent returns the nodes of the optimized graph next to node i, connected by values without
// a counterpart: producers first, then consumers.
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

// share assigns members that no node is named for to the nearest node that has an origin.
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

// beside returns the nodes of the original next to node, consumers first, so that an operator
// that follows a matrix product is counted as fused with it.
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
