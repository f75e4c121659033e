package diff

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops"
)

// sequence returns the nodes so that each comes directly after the nodes that produce its inputs.
// The order depends on the outputs and edges of the graph and not on the file. Related nodes are
// next to each other.
func (s *side) sequence() []int32 {
	w := &walk{side: s, seen: make([]bool, len(s.inputs))}
	for _, out := range s.graph.Outputs() {
		if v := s.numberOf(out.Name()); v >= 0 && s.producer[v] >= 0 {
			w.from(s.producer[v])
		}
	}
	for i := range s.inputs { // nodes that no output depends on
		if s.isNode(i) {
			w.from(int32(i))
		}
	}
	return w.out
}

// walk visits nodes in the reverse direction of the edges, depth first.
type walk struct {
	*side
	seen  []bool
	stack []step
	out   []int32
}

// step is a node on the current path, and the index of the input to visit next.
type step struct{ node, next int32 }

func (w *walk) from(i int32) {
	w.enter(i)
	for len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		in, captures := w.inputs[top.node], w.captures[top.node]
		k := int(top.next)
		if k == len(in)+len(captures) {
			w.out = append(w.out, top.node)
			w.stack = w.stack[:len(w.stack)-1]
			continue
		}
		top.next++
		var v int32
		if k < len(in) {
			v = in[k]
		} else {
			v = captures[k-len(in)]
		}
		if v >= 0 && w.producer[v] >= 0 {
			w.enter(w.producer[v])
		}
	}
}

func (w *walk) enter(i int32) {
	if !w.seen[i] {
		w.seen[i] = true
		w.stack = append(w.stack, step{node: i})
	}
}

// alignRest joins open nodes that are between the same partners, in the order of both models. It
// first joins those with the same label and result type, then with the same label, then with the
// same operator and result type.
func (p *pairing) alignRest() error {
	if p.isDone() {
		return nil
	}
	x, y := track{p.a, p.a.order, p.nodeA}, track{p.b, p.b.order, p.nodeB}
	join := p.joinAligned
	if order(x, y) > 0 { // the result must not depend on which model comes first
		x, y = y, x
		join = func(j, i int32) { p.joinAligned(i, j) }
	}
	for _, key := range []func(s *side, i int32) hash{
		func(s *side, i int32) hash { return mix(s.label[i], s.resultType(i)) },
		func(s *side, i int32) hash { return s.label[i] },
		func(s *side, i int32) hash { return mix(s.ops[i], s.resultType(i)) },
	} {
		if err := align(p.ctx, x, y, key, join); err != nil {
			return err
		}
		if err := p.spread(levelOperator); err != nil {
			return err
		}
	}
	return nil
}

// joinAligned joins two open nodes, unless more edges contradict the pair than support it.
func (p *pairing) joinAligned(i, j int32) {
	below, above := p.inputEdges(i, j), p.outputEdges(i, j)
	if p.isOpen(i, j) && below.with+above.with >= below.against+above.against {
		p.join(i, j, ByOrder)
	}
}

// track has the nodes of a side in the order of sequence, and their partners by node.
type track struct {
	*side
	nodes   []int32
	partner []int32
}

// order compares two tracks so that the result of an alignment does not depend on which model is A:
// first by length, then by operators and types.
func order(x, y track) int {
	return cmp.Or(len(x.nodes)-len(y.nodes), slices.CompareFunc(x.nodes, y.nodes, func(i, j int32) int {
		n, m := x.graph.Nodes()[i], y.graph.Nodes()[j]
		return cmp.Or(cmp.Compare(n.OpType(), m.OpType()), cmp.Compare(x.resultText(i), y.resultText(j)))
	}))
}

func (s *side) result(i int32) graphops.Type {
	if v := at(s.outputs[i], 0); v >= 0 {
		return s.typeOf(v)
	}
	return graphops.Type{}
}

func (s *side) resultText(i int32) string { return s.result(i).String() }

// resultType returns a hash of the type of a node's first output. All symbols have the same hash.
func (s *side) resultType(i int32) hash {
	t := s.result(i)
	h := mixAll(hash(t.Kind), hash(t.Elem), hash(len(t.Shape)))
	for _, d := range t.Shape {
		x := none
		if d.IsFixed() {
			h = mix(h, hash(d.Value))
			continue
		}
		h = mix(h, hash(x))
	}
	return h
}

// align calls join for open nodes with the same key that are between the same partners. It joins as
// many as possible without changing the order.
func align(ctx context.Context, x, y track, key func(*side, int32) hash, join func(i, j int32)) error {
	from := [2]int{}
	for _, to := range append(matchedInOrder(x, y), [2]int{len(x.nodes), len(y.nodes)}) {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, b := x.open(from[0], to[0], key), y.open(from[1], to[1], key)
		for _, pair := range common(a, b) {
			join(a[pair[0]].item, b[pair[1]].item)
		}
		from = to
	}
	return nil
}

// matchedInOrder returns the positions of partners in both tracks. Partners that are in a different
// order are left out.
func matchedInOrder(x, y track) [][2]int {
	place := make([]int, len(y.partner))
	for k, j := range y.nodes {
		place[j] = k
	}
	var all, kept [][2]int
	var list []int
	for k, i := range x.nodes {
		if j := x.partner[i]; j != none {
			all, list = append(all, [2]int{k, place[j]}), append(list, place[j])
		}
	}
	for k, moved := range outOfOrder(list) {
		if !moved {
			kept = append(kept, all[k])
		}
	}
	return kept
}

func (t track) open(from, to int, key func(*side, int32) hash) []keyed {
	var out []keyed
	for k := from; k < to; k++ {
		if i := t.nodes[k]; t.partner[i] == none {
			out = append(out, keyed{i, key(t.side, i)})
		}
	}
	return out
}
