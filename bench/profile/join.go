package profile

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// By says how a node that ran was mapped to the model.
type By string

// The ways in which a node can be mapped, the most reliable first.
const (
	ByName   By = "name"   // the node's name is unchanged, or derived by an optimization
	ByValues By = "values" // it computes the values that the node computed
	ByNone   By = "none"
)

// Origin says which node of the model a node that ran comes from, and which nodes' work it does.
type Origin struct {
	By    By
	Place *graphops.Place // in the model; nil for ByNone
	Node  int             // the node of the place that it comes from mainly; -1 if none
	// Members are the positions of all nodes of the place whose work this node does, including
	// Node. It is empty if another node that ran does the work of Node, for example if this node
	// was inserted.
	Members []int
}

// nowhere is the origin of a node that cannot be mapped to a node of the model.
var nowhere = Origin{By: ByNone, Node: -1}

// at identifies a node of the graph that ran by its place and its position there.
type at struct {
	place *graphops.Place
	node  int
}

// join maps the nodes of an optimized model to those of the original.
//
// A value of the optimized graph equals a value of the original if they have the same name, because
// an optimization gives a new node the output of the nodes that it replaces. A value of the
// optimized graph without such a counterpart is inside a part that an optimization has rewritten.
// In this package, a region is a group of nodes of the optimized graph that are connected by such
// values. The region replaces the nodes of the original that compute its outputs from its inputs;
// these are its members.
//
// Most regions are a single node. In a larger region each node is mapped to the member that its
// name or its operator suggests. A node that an optimization inserted is mapped to the same member
// as its neighbour.
type join struct {
	// weight returns the multiply-accumulates of a node of the original. It decides which of several
	// members a node mainly comes from.
	weight func(p *graphops.Place, node int) int64
	origin map[at]Origin
}

// joinModels maps the nodes in all places of an optimized model to those of the original. Nodes
// from an inlined function are mapped to the node that calls the function.
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

// bodyOf returns the body in place p of the original that corresponds to the body made of the
// optimized model, or nil. o is the origin of the node that has the body made.
func bodyOf(p *graphops.Place, o Origin, made *graphops.Place) *graphops.Place {
	for _, b := range p.Bodies {
		if o.Place == p && b.Node == o.Node && b.Attribute == made.Attribute && b.Nth == made.Nth {
			return b
		}
	}
	return nil
}

// pairing maps the nodes of one place of the optimized model, made, to those of the corresponding
// place original.
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

// mapValues fills known and alias with the values that both graphs have.
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

// counterpart returns the value of the original that equals the value name of the optimized graph.
// The second result is false if the original has no such value.
func (p *pairing) counterpart(name string) (graphops.ValueID, bool) {
	if other, ok := p.alias[name]; ok {
		name = other
	}
	v, ok := p.from.Value(name)
	return v, ok && name != ""
}

// regions returns the regions of the optimized graph: groups of nodes that are connected by values
// without a counterpart in the original. Groups and their nodes are in graph order.
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

// between returns the members of a region: the nodes of the original that compute the region's
// outputs, back to values that the optimized graph has too. A node becomes a member of at most one
// region. anchor is the node of the original that computes the region's last output, even if it is
// a member of another region; -1 if no node computes it.
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

// claim records in main that node k of a region does the work of its original node. If several
// nodes have the same original, the first with an operator of the same kind gets it, or else the
// first.
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

// ownName returns the origin that the name of node i suggests. If an optimization has changed the
// name, the origin must be one of the members, unless the region has none.
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
		// The name may derive from a value, or from one of several nodes that were fused. The node
		// found is the origin only if its operator does the same kind of work.
		if isKin(n.OpType(), p.original.Graph.Nodes()[node].OpType()) {
			return p.from1(ByName, node)
		}
	}
	return nowhere
}

// byOperator chooses a member as the origin of node i. In a region of several nodes it is the first
// unclaimed member whose operator is of the same kind. If node i alone replaces all members, it is
// the one with the largest weight, preferably among those of the same kind.
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

// kinship finds the members of a region that are not claimed yet by their operator, in order.
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

// neighbours sets the origin of the nodes of a region that have none yet. A node with an operator
// that optimizations insert, such as Cast, gets the origin of the nearest node that has one. Any
// other node is a part of an operator that was split into several; it gets a nearby member that no
// other node has claimed.
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

// unclaimed returns a member next to node that no node has claimed, or that was split as well. If
// it finds no such member, it returns node.
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

// adjacent returns the nodes of the optimized graph that are connected to node i by a value without
// a counterpart: first the nodes that compute such inputs, then those that read such outputs.
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

// share adds each member to the Members of one node of the region. A member that no node has
// claimed is added to the node that has claimed the nearest member.
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
