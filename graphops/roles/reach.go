package roles

import (
	"math/bits"
	"sync"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// use is a set of things that a value is used as. Lower bits say more.
type use uint32

const (
	useBranch     use = 1 << iota // decides which branch runs
	useLengths                    // seqlens_k
	useKeyLengths                 // lengths of keys
	useTotal
	usePastLength
	useBeams
	useIndex   // where a cache is written
	useSetting // of a search
	useTable   // selects rows of a table
	useSegment
	usePosition // selects angles, or rows of a table of positions
	useShifted  // as useTable, after arithmetic
	useCounted  // as one of those above, but summed up first
	useMask     // changes scores before a softmax
	useKey      // keys, with no weights between
	useValue
	useQuery
	useAngle // cosines or sines, which turn queries and keys
	useKernel
	useInto    // with weights between: what queries are made of
	useEncoded // with weights between: what keys and values are made of
	useSeen    // as useInto, after a convolution
)

const (
	numbers = useLengths | useKeyLengths | useTotal | usePastLength | useTable | useSegment | usePosition | useShifted
	narrow  = useKey | useValue | useQuery
	wide    = useInto | useEncoded | useSeen
)

// reach is what each value is used as.
type reach struct {
	*flat
	o   *origins
	use []use
	by  []int32 // the node of the lowest use, or -1

	toSoftmax, scored, soft []bool
}

// reaches finds the uses, in three passes over the nodes.
func (f *flat) reaches(o *origins) *reach {
	n := len(f.homes)
	r := &reach{flat: f, o: o, use: make([]use, n), by: make([]int32, n), toSoftmax: make([]bool, n), scored: make([]bool, n), soft: make([]bool, n)}
	for i := range r.by {
		r.by[i] = -1
	}
	r.findScores()
	for i := len(f.nodes) - 1; i >= 0; i-- {
		r.visit(int32(i), &f.nodes[i])
	}
	return r
}

// findScores finds the values that lead to a softmax, those that come from a product of two
// computed tensors on the way there, and those that come from a softmax.
func (r *reach) findScores() {
	for i := len(r.nodes) - 1; i >= 0; i-- {
		n := &r.nodes[i]
		switch {
		case n.class == softmax:
			r.mark(r.toSoftmax, at(n.in, 0))
		case n.scoring() && r.any(r.toSoftmax, n.out):
			for _, v := range n.in {
				r.mark(r.toSoftmax, v)
			}
		}
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		switch {
		case n.class == softmax:
			r.mark(r.soft, at(n.out, 0))
		case r.isProduct(n):
			if r.any(r.toSoftmax, n.out) {
				r.mark(r.scored, at(n.out, 0))
			}
		case n.scoring():
			for _, v := range n.out {
				if r.any(r.scored, n.in) && r.any(r.toSoftmax, n.out) {
					r.mark(r.scored, v)
				}
				if len(n.in) > 0 && r.any(r.soft, n.in) {
					r.mark(r.soft, v)
				}
			}
		}
	}
}

func (r *reach) mark(list []bool, v value) {
	if v != nothing {
		list[v] = true
	}
}

func (r *reach) any(list []bool, values []value) bool {
	for _, v := range values {
		if v != nothing && list[v] {
			return true
		}
	}
	return false
}

// isProduct reports whether a node multiplies two computed tensors.
func (r *reach) isProduct(n *node) bool {
	if !n.multiplies {
		return false
	}
	a, b := at(n.in, 0), at(n.in, n.second)
	return a != nothing && b != nothing && !r.constant[a] && !r.constant[b]
}

// give adds uses to a value.
func (r *reach) give(v value, u use, by int32) {
	if v == nothing || u == 0 || r.constant[v] {
		return
	}
	if r.use[v] == 0 || bits.TrailingZeros32(uint32(u)) < bits.TrailingZeros32(uint32(r.use[v])) {
		r.by[v] = by
	}
	r.use[v] |= u
}

// each gives uses of the node's output to inputs, with the node that the output has.
func (r *reach) each(n *node, u use, in ...value) {
	by := int32(-1)
	for _, v := range n.out {
		if v != nothing && r.use[v] != 0 {
			by = r.by[v]
			break
		}
	}
	for _, v := range in {
		r.give(v, u, by)
	}
}

// visit gives the inputs of a node the uses that follow from the node and from those of its
// outputs.
func (r *reach) visit(i int32, n *node) {
	var u use
	for _, v := range n.out {
		if v != nothing {
			u |= r.use[v]
		}
	}
	if n.op == nil {
		r.each(n, u, n.in...)
		return
	}
	if n.form != nil {
		r.slots(i, n, n.slots)
		return
	}
	if n.reads != nil {
		for slot, use := range n.reads {
			r.give(at(n.in, slot), use, i)
		}
		return
	}
	if n.op.Is("If") {
		r.give(at(n.in, 0), useBranch, i)
		return
	}
	r.byClass(i, n, u)
}

// slots gives the inputs of an operator with a cache their uses.
func (r *reach) slots(i int32, n *node, o *operator) {
	for slot, u := range o.reads {
		r.give(at(n.in, slot), u, i)
	}
	for _, s := range o.caches {
		u := use(0)
		if s.content == Key || s.content == KeyAndValue {
			u |= useKey
		}
		if s.content == Value || s.content == KeyAndValue {
			u |= useValue
		}
		r.give(at(n.in, s.past), u, i)
	}
}

// readers are operators with no cache with slots for ids, masks and settings.
var readers = sync.OnceValue(func() map[graphops.Op]map[int]use {
	search := map[int]use{0: useTable, 9: useMask, 10: useTable}
	for slot := 1; slot <= 6; slot++ {
		search[slot] = useSetting
	}
	short := map[int]use{0: useTable, 1: useSetting, 2: useSetting, 3: useSetting, 6: useMask, 8: useSetting}
	embed := map[int]use{0: useTable, 1: useSegment, 7: useMask, 8: usePosition}
	return map[graphops.Op]map[int]use{
		microsoft("BeamSearch"):               search,
		microsoft("WhisperBeamSearch"):        {0: useSeen, 1: useSetting, 2: useSetting, 3: useSetting, 4: useSetting, 5: useSetting, 6: useSetting, 10: useTable},
		microsoft("GreedySearch"):             short,
		microsoft("Sampling"):                 short,
		microsoft("EmbedLayerNormalization"):  embed,
		microsoft("QEmbedLayerNormalization"): {0: useTable, 1: useSegment, 7: useMask},
	}
})

func (r *reach) byClass(i int32, n *node, u use) {
	first := at(n.in, 0)
	switch n.class {
	case passing:
		r.each(n, u, first)
	case joining:
		r.each(n, u, n.in...)
	case scattering:
		r.each(n, u, first)
		if n.op.Is("TensorScatter") || n.op.Is("ScatterND") || n.op.Is("ScatterElements") {
			index, update := 1, 2
			if n.op.Is("TensorScatter") {
				index, update = 2, 1
			}
			r.each(n, u, at(n.in, update))
			if x := r.o.at(first); x != nil && x.port >= 0 {
				r.give(at(n.in, index), useIndex, i)
			}
		}
	case elementary:
		r.elements(i, n, u)
	case single:
		r.each(n, widened(u)|u&^narrow, first)
	case comparing:
		r.each(n, u&(useMask|useCounted|useBranch), n.in...)
	case summing:
		c := u &^ numbers
		if u&numbers != 0 {
			c |= useCounted
		}
		r.each(n, c, first)
	case product:
		r.multiply(i, n, u)
	case weighted, norming:
		r.each(n, widened(u), n.in[:min(2, len(n.in))]...)
	case convolving:
		r.give(first, useKernel, i)
		if widened(u) != 0 {
			r.each(n, useSeen, first)
		}
	case turning:
		if u&(narrow|useAngle) != 0 {
			r.give(first, usePosition, i)
		}
	case looking:
		r.look(i, n, u)
	case softmax:
		if n.op.OpType() == "BiasSoftmax" {
			r.give(at(n.in, 1), useMask, i)
		}
	case rotating:
		r.rotate(i, n, u)
	case other:
		if n.op.Is("Scan") || n.op.Is("Loop") {
			return
		}
	}
}

// widened returns the uses on the other side of weights.
func widened(u use) use {
	out := u & wide
	if u&useQuery != 0 {
		out |= useInto
	}
	if u&(useKey|useValue) != 0 {
		out |= useEncoded
	}
	return out
}

// elements gives uses to the operands of a node that computes by elements.
func (r *reach) elements(i int32, n *node, u use) {
	switch {
	case r.any(r.scored, n.in) && r.any(r.toSoftmax, n.out):
		for _, v := range n.in {
			if v != nothing && !r.scored[v] {
				r.give(v, useMask, i)
			}
		}
	case n.op.Is("Where"):
		r.each(n, u&(useMask|useCounted), at(n.in, 0))
		r.each(n, u, n.in[min(1, len(n.in)):]...)
		if x := r.o.at(at(n.out, 0)); x != nil && x.from == fromScatter && x.node == i {
			r.give(at(n.in, 0), useIndex, i)
		}
	case n.op.Is("Range"):
		if u&(usePosition|useShifted) != 0 {
			r.give(at(n.in, 0), usePastLength, i)
		}
	default:
		if u&useTable != 0 {
			u = u&^useTable | useShifted
		}
		r.each(n, u, n.in...)
	}
}

// multiply gives uses to the operands of a product: queries and keys before a softmax, values after
// it, or something and its weights.
func (r *reach) multiply(i int32, n *node, u use) {
	a, b, made := at(n.in, 0), at(n.in, n.second), at(n.out, 0)
	switch {
	case !r.isProduct(n):
		r.each(n, widened(u)|u&(usePosition|useMask), a, b)
	case made != nothing && r.scored[made]:
		r.give(a, useQuery, i)
		r.give(b, useKey, i)
	case r.soft[a]:
		r.give(b, useValue, i)
	case r.soft[b]:
		r.give(a, useValue, i)
	default:
		r.each(n, widened(u)|u&(usePosition|useMask), a, b)
	}
}

// look gives the index of a table its use. If the rows turn queries or keys, the index is a
// position; otherwise the table may be that of the tokens.
func (r *reach) look(i int32, n *node, u use) {
	data, index := at(n.in, 0), at(n.in, 1)
	if data == nothing || index == nothing {
		return
	}
	if !r.constant[data] {
		r.each(n, u, data)
		if x := r.o.at(data); x != nil && x.from == fromPort && u&(useKey|useValue) != 0 && r.o.isPort(index) {
			r.give(index, useBeams, i)
		}
		return
	}
	switch t := r.homes[data].place.Type(r.homes[data].id); {
	case t.Elem == tensor.U8 || t.Elem == tensor.I8: // a quantized table of embeddings
		r.give(index, useTable, i)
	case u&(narrow|useAngle) != 0:
		r.give(index, usePosition, i)
	case t.Elem.Kind() == tensor.KindSigned || t.Elem.Kind() == tensor.KindBool:
		r.each(n, u, index)
		if n.op.OpType() == "GatherBlockQuantized" {
			r.give(index, useTable, i)
		}
	case u&useMask != 0:
	default:
		r.give(index, useTable, i)
	}
}

// rotate gives uses to the operands of rotary embeddings.
func (r *reach) rotate(i int32, n *node, u use) {
	position := 1
	if n.op.Is("RotaryEmbedding") {
		position = 3
	}
	r.each(n, u, at(n.in, 0))
	for slot := 1; slot < len(n.in); slot++ {
		switch {
		case n.op.OpType() == "GemmaRotaryEmbedding":
			r.each(n, u, n.in[slot])
		case slot == position:
			r.give(n.in[slot], usePosition, i)
		default:
			r.give(n.in[slot], useAngle, i)
		}
	}
}
