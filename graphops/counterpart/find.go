package counterpart

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/diff"
)

// found is the value of B that a value of A corresponds to.
type found struct {
	b   graphops.ValueID
	how How
}

type finder struct {
	a, b  *side
	nodes *diff.PlaceMatch
	of    map[graphops.ValueID]found
	taken map[graphops.ValueID]bool // values of B
}

func (f *finder) find() {
	if f.nodes.Names {
		f.joinNames()
	}
	f.join(func(p diff.ValuePair) bool { return isCertain(p.How) }, ByStructure)
	f.join(f.isLikely, ByNeighbours)
}

// isCertain reports whether the structure of the graphs proves a pair: both are the same input or
// output, are computed in the same way, or are used in the same way.
func isCertain(how diff.How) bool {
	return how == diff.ByInterface || how == diff.ByStructure || how == diff.ByContent
}

// made iterates over the outputs of all nodes except Constants, in topological order.
func (s *side) made() func(yield func(graphops.ValueID) bool) {
	return func(yield func(graphops.ValueID) bool) {
		for _, i := range s.order {
			if s.graph.Nodes()[i].IsConstant() {
				continue
			}
			for _, v := range s.index.Makes(i) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// join adopts those pairs found by structure that takes accepts and whose types are comparable.
func (f *finder) join(takes func(diff.ValuePair) bool, how How) {
	for _, p := range f.nodes.Values {
		if takes(p) && comparableTypes(f.a.typeOf(p.A), f.b.typeOf(p.B)) {
			f.pair(p.A, p.B, how)
		}
	}
}

// isLikely reports whether a pair that package diff only guessed is worth comparing: the same
// operator produces both values. If names count as evidence, no guess is used, because a value with
// another name is then a different value.
func (f *finder) isLikely(p diff.ValuePair) bool {
	m, n := f.a.producer(p.A), f.b.producer(p.B)
	return !f.nodes.Names && m != nil && n != nil && m.Calls() == n.Calls()
}

func (f *finder) joinNames() {
	for v := range graphops.ValueID(f.a.index.Values()) {
		if w, ok := f.b.index.Value(f.a.index.Name(v)); ok {
			f.pair(v, w, ByName)
		}
	}
}

// pair makes two values counterparts, unless one of them has a counterpart already, one is not
// defined, or their kinds differ. Their shapes may differ, because a wrong shape may be the fault
// that the caller is looking for.
func (f *finder) pair(v, w graphops.ValueID, how How) {
	if _, has := f.of[v]; has || f.taken[w] {
		return
	}
	switch {
	case f.a.isMade(v) && (f.b.isMade(w) || f.b.isConstant(w)):
	case f.a.isConstant(v) && f.b.isConstant(w):
	default:
		return
	}
	if comparableKinds(f.a.typeOf(v), f.b.typeOf(w)) {
		f.of[v], f.taken[w] = found{w, how}, true
	}
}

// result sorts the pairs, and adds the values of B that are dequantized from a counterpart.
func (f *finder) result() *Map {
	m := &Map{A: f.a.model, B: f.b.model, Names: f.nodes.Names, a: f.a, b: f.b, nodes: f.nodes}
	again := f.dequantized()
	add := func(v graphops.ValueID) {
		if to, ok := f.of[v]; ok {
			m.Pairs = append(m.Pairs, f.typed(v, to.b, to.how))
		}
		for _, w := range again[v] {
			f.taken[w] = true
			m.Pairs = append(m.Pairs, f.typed(v, w, ByDequantized))
		}
	}
	for v := range graphops.ValueID(f.a.index.Values()) {
		if f.a.index.Producer(v) < 0 {
			add(v)
		}
	}
	for _, i := range f.a.order {
		for _, v := range f.a.index.Makes(i) {
			add(v)
			if _, ok := f.of[v]; !ok {
				m.OnlyA = append(m.OnlyA, v)
			}
		}
	}
	for _, i := range f.b.order {
		for _, w := range f.b.index.Makes(i) {
			if !f.taken[w] {
				m.OnlyB = append(m.OnlyB, w)
			}
		}
	}
	f.a.lone, f.b.lone = f.a.computed(m.OnlyA), f.b.computed(m.OnlyB)
	return m
}

func (s *side) computed(list []graphops.ValueID) map[graphops.ValueID]bool {
	out := map[graphops.ValueID]bool{}
	for _, v := range list {
		out[v] = s.isMade(v)
	}
	return out
}

func (f *finder) typed(v, w graphops.ValueID, how How) Pair {
	return Pair{A: v, B: w, How: how, TypeA: f.a.typeOf(v), TypeB: f.b.typeOf(w)}
}

// dequantized returns, for values of A, the values of B that are computed from the counterpart by a
// QuantizeLinear followed by a DequantizeLinear.
func (f *finder) dequantized() map[graphops.ValueID][]graphops.ValueID {
	stands := map[graphops.ValueID]graphops.ValueID{} // value of B to value of A
	for v, to := range f.of {
		stands[to.b] = v
	}
	for _, info := range f.a.graph.FeedInputs() {
		v, _ := f.a.index.Value(info.Name())
		if w, ok := f.b.index.Value(info.Name()); ok && f.b.index.IsInput(w) {
			stands[w] = v
		}
	}
	out := map[graphops.ValueID][]graphops.ValueID{}
	for w := range f.b.made() {
		back := f.b.producer(w)
		if f.taken[w] || back.OpType() != "DequantizeLinear" {
			continue
		}
		to := f.b.input(back, 0)
		if to < 0 {
			continue
		}
		quantize := f.b.producer(to)
		if quantize == nil || quantize.OpType() != "QuantizeLinear" {
			continue
		}
		if v, ok := stands[f.b.input(quantize, 0)]; ok && comparableTypes(f.a.typeOf(v), f.b.typeOf(w)) {
			out[v] = append(out[v], w)
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// input returns input i of a node; -1 if the node leaves it out.
func (s *side) input(n *graphops.Node, i int) graphops.ValueID {
	if i >= len(n.Inputs()) || n.Inputs()[i] == "" {
		return -1
	}
	v, ok := s.index.Value(n.Inputs()[i])
	if !ok {
		return -1
	}
	return v
}
