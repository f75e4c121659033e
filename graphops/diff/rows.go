package diff

import (
	"cmp"
	"slices"
)

// lonely is a node that only B has. Its row comes after the node of A at the position after.
// Several nodes with the same position are ordered by rank.
type lonely struct{ node, after, rank int }

// align creates the rows of two places. The nodes of A keep their file order. A node that only B
// has comes after the last row that produces one of its inputs. If no row does, it comes before the
// first reader of its outputs. It moves further down if the files have nearly the same order and
// the file of B has it later. It also moves behind removed nodes, because differences usually show
// what was removed before what was added.
func (d *PlaceDiff) align() {
	after := make([]int, len(d.nodeB)) // the position in A after which a node of B comes, or its own
	for j := range after {
		after[j] = int(d.nodeB[j])
	}
	for _, j := range d.b.order {
		if d.nodeB[j] == none {
			d.b.needs(int(j), func(maker int32) { after[j] = max(after[j], after[maker]) })
		}
	}
	for at := len(d.b.order) - 1; at >= 0; at-- {
		if j := d.b.order[at]; d.nodeB[j] == none && after[j] < 0 {
			after[j], _ = d.beforeReaders(int(j), after)
		}
	}
	if d.isInOrder() {
		d.keepOrder(after)
	}
	rank := make([]int, len(d.nodeB))
	var list []lonely
	for at, j := range d.b.order {
		if rank[j] = 2 * at; d.nodeB[j] == none {
			list = append(list, lonely{int(j), after[j], rank[j]})
		}
	}
	for j := range d.nodeB {
		if d.b.isNode(j) || d.nodeB[j] != none {
			continue
		}
		at, reader := d.beforeReaders(j, after)
		c := lonely{j, at, 2 * len(rank)}
		if reader >= 0 && d.nodeB[reader] == none {
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

// pastRemoved returns, for each position in A, the position of the last removed node in the run of
// removed nodes that follows it directly. If no removed node follows, it is the position itself.
func (d *PlaceDiff) pastRemoved() []int {
	past := make([]int, len(d.nodeA))
	for i := len(past) - 1; i >= 0; i-- {
		if past[i] = i; i+1 < len(past) && d.nodeA[i+1] == none {
			past[i] = past[i+1]
		}
	}
	return past
}

// isInOrder reports whether at most a tenth of the nodes that both models have are in another
// order.
func (d *PlaceDiff) isInOrder() bool {
	var places []int
	for _, j := range d.nodeA {
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

// keepOrder moves nodes that only B has behind the nodes that precede them in the file of B, but
// not behind their own readers.
func (d *PlaceDiff) keepOrder(after []int) {
	latest := make([]int, len(after)) // before the first reader
	for at := len(d.b.order) - 1; at >= 0; at-- {
		j := d.b.order[at]
		if latest[j], _ = d.beforeReaders(int(j), latest); d.nodeB[j] != none {
			latest[j] = int(d.nodeB[j])
		}
	}
	before := -1
	for j := range after {
		if !d.b.isNode(j) {
			continue
		}
		if d.nodeB[j] == none {
			after[j] = max(after[j], min(before, latest[j]))
		}
		before = max(before, after[j])
	}
}

// beforeReaders returns the last position in A that is before all readers of node j of B, and the
// first reader. If nothing reads the node, it returns the end of A and -1.
func (d *PlaceDiff) beforeReaders(j int, after []int) (at, reader int) {
	at, reader = len(d.nodeA)-1, -1
	for _, v := range d.b.outputs[j] {
		if v < 0 {
			continue
		}
		for _, u := range d.b.usesOf(v) {
			before := after[u.node]
			if d.nodeB[u.node] != none {
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
	d.Rows = make([]Row, 0, len(d.nodeA)+len(lone))
	next := 0
	flush := func(upTo int) {
		for next < len(lone) && lone[next].after <= upTo {
			d.Rows = append(d.Rows, Row{A: -1, B: lone[next].node, Change: -1})
			next++
		}
	}
	flush(-1)
	for i := range d.nodeA {
		r := Row{A: i, B: int(d.nodeA[i]), Change: -1}
		if k, ok := changes[i]; ok {
			r.Change = k
		}
		r.Renamed = r.B >= 0 && d.isRenamed(i, r.B)
		d.Rows = append(d.Rows, r)
		flush(i)
	}
}

// isRenamed reports whether two partners have different names, or different names of outputs.
func (d *PlaceDiff) isRenamed(i, j int) bool {
	n, m := d.A.Graph.Nodes()[i], d.B.Graph.Nodes()[j]
	return n.Name() != m.Name() || !slices.Equal(n.Outputs(), m.Outputs())
}
