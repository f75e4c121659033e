package diff

import (
	"cmp"
	"slices"
)

// lonely is a node that only B has, and where its row stands: behind a position of A,
// among the others there by rank.
type lonely struct{ node, after, rank int }

// align makes the rows of two places. Nodes of A stand in the order of its file. What
// only B has stands behind the last row that makes what it reads, or, where it reads
// nothing, before the first that reads what it makes; as far behind as its place in the
// file of B says, if that is in the same order; behind removed nodes, because that is
// how changes are read.
func (d *PlaceDiff) align() {
	after := make([]int, len(d.nodeOfB)) // the position in A that a node of B stands at or behind
	for j := range after {
		after[j] = int(d.nodeOfB[j])
	}
	for _, j := range d.b.order {
		if d.nodeOfB[j] == none {
			d.b.needs(int(j), func(maker int32) { after[j] = max(after[j], after[maker]) })
		}
	}
	for at := len(d.b.order) - 1; at >= 0; at-- {
		if j := d.b.order[at]; d.nodeOfB[j] == none && after[j] < 0 {
			after[j], _ = d.beforeReaders(int(j), after)
		}
	}
	if d.isInOrder() {
		d.keepOrder(after)
	}
	rank := make([]int, len(d.nodeOfB))
	var list []lonely
	for at, j := range d.b.order {
		if rank[j] = 2 * at; d.nodeOfB[j] == none {
			list = append(list, lonely{int(j), after[j], rank[j]})
		}
	}
	for j := range d.nodeOfB {
		if d.b.isNode(j) || d.nodeOfB[j] != none {
			continue
		}
		at, reader := d.beforeReaders(j, after)
		c := lonely{j, at, 2 * len(rank)}
		if reader >= 0 && d.nodeOfB[reader] == none {
			c.rank = rank[reader] - 1
		}
		list = append(list, c)
	}
	past := d.pastRemoved()
	for k := range list {
		if at := list[k].after; at >= 0 {
			list[k].after = past[at]
		}
	}
	slices.SortStableFunc(list, func(x, y lonely) int {
		return cmp.Or(x.after-y.after, x.rank-y.rank)
	})
	d.emit(list)
}

// pastRemoved is the last of the removed nodes that follow each position of A, itself
// where none does.
func (d *PlaceDiff) pastRemoved() []int {
	past := make([]int, len(d.nodeOfA))
	for i := len(past) - 1; i >= 0; i-- {
		if past[i] = i; i+1 < len(past) && d.nodeOfA[i+1] == none {
			past[i] = past[i+1]
		}
	}
	return past
}

// isInOrder reports whether what both models have stands in one order, but for a few.
func (d *PlaceDiff) isInOrder() bool {
	var places []int
	for _, j := range d.nodeOfA {
		if j != none {
			places = append(places, int(j))
		}
	}
	moved := 0
	for _, is := range outOfOrder(places) {
		if is {
			moved++
		}
	}
	return moved*10 <= len(places)
}

// keepOrder moves what only B has behind the nodes before it in the file, as far as its
// readers allow.
func (d *PlaceDiff) keepOrder(after []int) {
	latest := make([]int, len(after)) // before the first reader
	for at := len(d.b.order) - 1; at >= 0; at-- {
		j := d.b.order[at]
		if latest[j], _ = d.beforeReaders(int(j), latest); d.nodeOfB[j] != none {
			latest[j] = int(d.nodeOfB[j])
		}
	}
	before := -1
	for j := range after {
		if !d.b.isNode(j) {
			continue
		}
		if d.nodeOfB[j] == none {
			after[j] = max(after[j], min(before, latest[j]))
		}
		before = max(before, after[j])
	}
}

// beforeReaders is the position in A before the first reader of what a node of B
// makes, and that reader; behind everything and -1 where nothing reads it.
func (d *PlaceDiff) beforeReaders(j int, after []int) (at, reader int) {
	at, reader = len(d.nodeOfA)-1, -1
	for _, v := range d.b.outputs[j] {
		if v < 0 {
			continue
		}
		for _, u := range d.b.usesOf(v) {
			before := after[u.node]
			if d.nodeOfB[u.node] != none {
				before--
			}
			if reader < 0 || before < at {
				at, reader = before, int(u.node)
			}
		}
	}
	return at, reader
}

func (d *PlaceDiff) emit(lone []lonely) {
	changes := make(map[int]int, len(d.Changed))
	for k, c := range d.Changed {
		changes[c.A] = k
	}
	d.Rows = make([]Row, 0, len(d.nodeOfA)+len(lone))
	next := 0
	flush := func(upTo int) {
		for next < len(lone) && lone[next].after <= upTo {
			d.Rows = append(d.Rows, Row{A: -1, B: lone[next].node, Change: -1})
			next++
		}
	}
	flush(-1)
	for i := range d.nodeOfA {
		r := Row{A: i, B: int(d.nodeOfA[i]), Change: -1}
		if k, ok := changes[i]; ok {
			r.Change = k
		}
		r.Renamed = r.B >= 0 && d.isRenamed(i, r.B)
		d.Rows = append(d.Rows, r)
		flush(i)
	}
}

// isRenamed reports whether two partners, or what they make, have different names.
func (d *PlaceDiff) isRenamed(i, j int) bool {
	n, m := d.A.Graph.Nodes()[i], d.B.Graph.Nodes()[j]
	return n.Name() != m.Name() || !slices.Equal(n.Outputs(), m.Outputs())
}
