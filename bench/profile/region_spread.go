package profile

import "slices"

// neighbours sets the origins that are not known yet. A node with an operator that optimizations
// insert, such as Cast, gets the origin of the nearest node that has one. Any other node is a part
// of an operator that was split into several; it gets a nearby member that no other node has
// claimed.
func (r *region) neighbours() {
	where, split := map[int]int{}, map[int]bool{}
	var work []int
	for k, i := range r.nodes {
		where[i] = k
		if r.origins[k].By != ByNone {
			work = append(work, k)
		}
	}
	for len(work) > 0 {
		from := r.origins[work[0]].Node
		near := r.adjacent(r.nodes[work[0]])
		work = work[1:]
		for _, next := range near {
			k, inside := where[next]
			if !inside || r.origins[k].By != ByNone {
				continue
			}
			node := from
			if !isInserted(r.op(k)) {
				node = r.besideUnclaimed(from, split)
				split[node] = split[node] || node != from
			}
			r.set(k, ByValues, node)
			work = append(work, k)
		}
	}
}

// besideUnclaimed returns a member next to node that no node has claimed, or that was split as
// well. If it finds no such member, it returns node.
func (r *region) besideUnclaimed(node int, split map[int]bool) int {
	const most = 64 // limit for the nodes beside one node
	beside := r.beside(node)
	for _, next := range beside[:min(len(beside), most)] {
		_, claimed := r.main[next]
		if r.isMember(next) && (!claimed || split[next]) && !isInserted(r.fromNodes[next].OpType()) {
			return next
		}
	}
	return node
}

// share adds each member to the Members of one node of the region. A member that no node has
// claimed is added to the node that has claimed the nearest member.
func (r *region) share() {
	owner := map[int]int{} // member → position in the region
	var work []int
	for _, m := range r.members {
		if k, has := r.main[m]; has {
			owner[m] = k
			work = append(work, m)
		}
	}
	for len(work) > 0 {
		m := work[0]
		work = work[1:]
		for _, next := range r.beside(m) {
			if _, has := owner[next]; !has && r.isMember(next) {
				owner[next] = owner[m]
				work = append(work, next)
			}
		}
	}
	first := slices.IndexFunc(r.origins, func(o origin) bool { return o.By != ByNone })
	for _, m := range r.members {
		k, has := owner[m]
		if !has {
			k = first
		}
		if k >= 0 {
			r.origins[k].Members = append(r.origins[k].Members, m)
		}
	}
}
