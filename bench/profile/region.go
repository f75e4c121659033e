package profile

import "slices"

// region is a group of nodes of the optimized graph while their origins are determined.
type region struct {
	*pairing
	nodes   []int // in graph order
	members []int // nodes of the original that they replace, in graph order
	anchor  int   // see between
	origins []origin
	// main maps a member to the position in nodes of the node that does its work. It also has other
	// nodes of the original that a name led to.
	main map[int]int
	// ops are the operators of the members in the order of their first nodes, and left the members
	// by operator.
	ops  []string
	left map[string][]int
}

// region returns the origins of the nodes of a region.
func (p *pairing) region(nodes []int) []origin {
	r := &region{pairing: p, nodes: nodes, origins: slices.Repeat([]origin{nowhere}, len(nodes)), main: map[int]int{}}
	r.members, r.anchor = p.between(nodes)
	r.all(ByName, r.ownName)
	r.groupMembers()
	r.all(ByValues, r.byOperator)
	r.neighbours()
	r.all(ByValues, func(int) int { return r.anchor })
	r.share()
	return r.origins
}

// all sets the origins that are not known yet to the nodes that find returns for positions in the
// region, unless it returns -1.
func (r *region) all(by By, find func(k int) int) {
	for k := range r.nodes {
		if r.origins[k].By == ByNone {
			r.set(k, by, find(k))
		}
	}
}

// set makes node the origin of node k of the region. If several nodes have the same origin, the
// first with an operator of the same kind does its work, or else the first.
func (r *region) set(k int, by By, node int) {
	if node < 0 {
		return
	}
	r.origins[k] = origin{By: by, Place: r.original, Node: node}
	op := r.fromNodes[node].OpType()
	if before, there := r.main[node]; !there || isKin(r.op(k), op) && !isKin(r.op(before), op) {
		r.main[node] = k
	}
}

// op returns the operator of node k of the region.
func (r *region) op(k int) string { return r.toNodes[r.nodes[k]].OpType() }

func (r *region) isMember(node int) bool {
	_, inside := slices.BinarySearch(r.members, node)
	return inside
}

// ownName returns the node that the name of node k suggests. If an optimization has changed the
// name, the node must be one of the members, unless the region has none.
func (r *region) ownName(k int) int {
	n := r.toNodes[r.nodes[k]]
	if node, ok := r.names[n.Name()]; ok && (r.fromNodes[node].Op() == n.Op() || r.isMember(node)) {
		return node
	}
	for _, name := range undecorated(n.Name()) {
		node, ok := r.names[name]
		if v := r.named(name); !ok && v >= 0 {
			node, ok = r.from.Producer(v), r.from.Producer(v) >= 0
		}
		// The name may derive from a value, or from one of several nodes that were fused. The node
		// found is the origin only if its operator does the same kind of work.
		if ok && (len(r.members) == 0 || r.isMember(node)) && isKin(n.OpType(), r.fromNodes[node].OpType()) {
			return node
		}
	}
	return -1
}

func (r *region) groupMembers() {
	r.left = map[string][]int{}
	for _, m := range r.members {
		op := r.fromNodes[m].OpType()
		if _, known := r.left[op]; !known {
			r.ops = append(r.ops, op)
		}
		r.left[op] = append(r.left[op], m)
	}
}

// byOperator chooses a member as the origin of node k, or returns -1. In a region of several nodes
// it is the first unclaimed member whose operator is of the same kind. If the node alone replaces
// all members, it is the one with the largest weight, preferably among those of the same kind.
func (r *region) byOperator(k int) int {
	switch {
	case len(r.members) == 0:
		return -1
	case len(r.nodes) == 1:
		return r.heaviest(r.op(k))
	}
	if m := r.unclaimed(r.op(k)); m >= 0 || len(r.members) > 1 {
		return m
	}
	return r.members[0]
}

func (r *region) heaviest(op string) int {
	best, most, related := r.anchor, int64(0), false
	for _, m := range r.members {
		w, same := r.weight(r.original, m), isKin(op, r.fromNodes[m].OpType())
		if same && !related || same == related && w > most {
			best, most, related = m, w, same
		}
	}
	return best
}

// unclaimed returns the first member that no node has claimed and that has the same operator, or
// else an operator of the same kind. It returns -1 if it finds no such member.
func (r *region) unclaimed(made string) int {
	first := func(op string) int {
		r.left[op] = r.left[op][r.claimed(r.left[op]):]
		if list := r.left[op]; len(list) > 0 {
			return list[0]
		}
		return -1
	}
	if m := first(made); m >= 0 {
		return m
	}
	for _, op := range r.ops {
		if isKin(made, op) {
			if m := first(op); m >= 0 {
				return m
			}
		}
	}
	return -1
}

// claimed returns how many members at the start of a list were claimed.
func (r *region) claimed(list []int) int {
	for k, m := range list {
		if _, taken := r.main[m]; !taken {
			return k
		}
	}
	return len(list)
}
