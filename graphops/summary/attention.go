package summary

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// attention are the sizes of an attention, 0 if they are not known.
type attention struct {
	heads, size int64
	kv          int64 // heads of keys and values, 0 if not known
	// causal is set if the attention is that of a decoder: it sees no later position, or it has
	// keys of earlier runs.
	causal bool
	// open is set if each position certainly sees all others, except for those that an input of
	// the model hides.
	open bool
	// query and keys are the values whose product are the scores, or none.
	query, keys graphops.ValueID
}

// layout says how an operator of attention has its queries.
type layout uint8

const (
	inQuery   layout = iota // the last axis of the first input has all heads
	inWeights               // the weights of queries, keys and values are in the second input
	inShape                 // as of ONNX's own operator, where heads can be an axis
)

// attentionForm says what is where in an operator of attention.
type attentionForm struct {
	heads, kv string // attributes
	layout    layout
	causal    string // an attribute that says that it is causal, "" for none
	decodes   bool   // it is causal in any case, or if the attribute is left out
	past      int    // the position of an input with earlier keys, 0 for none
	present   int    // the position of an output with keys for a later run, 0 for none
}

// attentions are the operators of attention.
var attentions = map[graphops.Op]attentionForm{
	{Name: "Attention"}: {heads: "q_num_heads", kv: "kv_num_heads", layout: inShape, causal: "is_causal", past: 4, present: 1},
	{Domain: graphops.MicrosoftDomain, Name: "Attention"}:                       {heads: "num_heads", layout: inWeights, causal: "unidirectional", past: 4, present: 1},
	{Domain: graphops.MicrosoftDomain, Name: "DecoderMaskedMultiHeadAttention"}: {heads: "num_heads", decodes: true},
	{Domain: graphops.MicrosoftDomain, Name: "DecoderMaskedSelfAttention"}:      {heads: "num_heads", layout: inWeights, decodes: true},
	{Domain: graphops.MicrosoftDomain, Name: "GroupQueryAttention"}:             {heads: "num_heads", kv: "kv_num_heads", causal: "causal", decodes: true},
	{Domain: graphops.MicrosoftDomain, Name: "LongformerAttention"}:             {heads: "num_heads"},
	{Domain: graphops.MicrosoftDomain, Name: "MultiHeadAttention"}:              {heads: "num_heads", causal: "unidirectional", past: 6, present: 1},
	{Domain: graphops.MicrosoftDomain, Name: "PackedAttention"}:                 {heads: "num_heads", layout: inWeights},
	{Domain: graphops.MicrosoftDomain, Name: "PackedMultiHeadAttention"}:        {heads: "num_heads"},
	{Domain: graphops.MicrosoftDomain, Name: "PagedAttention"}:                  {heads: "num_heads", kv: "kv_num_heads", causal: "is_causal", decodes: true},
	{Domain: graphops.MicrosoftDomain, Name: "QAttention"}:                      {heads: "num_heads", layout: inWeights, causal: "unidirectional", past: 8, present: 1},
	{Domain: graphops.MicrosoftDomain, Name: "SparseAttention"}:                 {heads: "num_heads", kv: "kv_num_heads", decodes: true},
}

// attentionMark returns the mark of an operator of attention.
func (v *view) attentionMark(n *graphops.Node, form attentionForm) *mark {
	a := attention{query: v.in(n, 0), keys: v.in(n, 1)}
	a.heads = max(0, number(n, form.heads, 0))
	if form.kv != "" {
		a.kv = max(0, number(n, form.kv, 0))
	}
	switch {
	case form.layout == inWeights:
		a.keys = a.query
		a.size = perHead(v.queryWidth(n), a.heads)
	case form.layout == inShape && len(v.dims(a.query)) == 4:
		a.heads, a.kv, a.size = v.size(a.query, 1), v.size(a.keys, 1), v.size(a.query, 3)
	case len(v.dims(a.query)) == 5: // batch × steps × heads × 3 × size
		a.size, a.keys = v.size(a.query, 4), a.query
	case a.keys == none && a.heads < 1<<31 && a.kv < 1<<31: // queries, keys and values one after the other
		a.size, a.keys = perHead(v.size(a.query, -1), a.heads+2*max(a.kv, 0)), a.query
		if form.kv == "" {
			a.size = 0
		}
	default:
		a.size = perHead(v.size(a.query, -1), a.heads)
	}
	causal := form.decodes
	if form.causal != "" {
		if at, ok := n.Attribute(form.causal); ok {
			causal = at.Int() != 0
		}
	}
	a.causal = causal || form.past > 0 && v.in(n, form.past) != none || form.present > 0 && v.out(n, form.present) != none
	a.open = !a.causal && form.layout != inShape
	return &mark{what: isAttention, kind: "attention", attention: a}
}

// queryWidth returns the width of the queries of an operator whose weights are those of queries,
// keys and values.
func (v *view) queryWidth(n *graphops.Node) int64 {
	if a, ok := n.Attribute("qkv_hidden_sizes"); ok && len(a.Ints()) > 0 {
		return max(0, a.Ints()[0])
	}
	return perHead(v.size(v.in(n, 1), 1), 3)
}

// perHead divides a width by a number of heads; 0 if that is not possible.
func perHead(width, heads int64) int64 {
	if heads <= 0 || width%heads != 0 {
		return 0
	}
	return width / heads
}

// softmaxes are operators whose result weighs values.
var softmaxes = and(ops("Softmax"), "BiasSoftmax", "QLinearSoftmax")

// products are operators that multiply two tensors, and the positions of these among the inputs.
var products = map[graphops.Op][2]int{
	{Name: "Einsum"}:        {0, 1},
	{Name: "MatMul"}:        {0, 1},
	{Name: "MatMulInteger"}: {0, 1},
	{Name: "QLinearMatMul"}: {0, 3},
	{Domain: graphops.MicrosoftDomain, Name: "FusedMatMul"}:          {0, 1},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulIntegerToFloat"}: {0, 1},
	{Domain: graphops.MicrosoftDomain, Name: "QLinearMatMul"}:        {0, 3},
	{Domain: graphops.MicrosoftDomain, Name: "TransposeMatMul"}:      {0, 1},
}

// scoring are operators that can be between a product of queries and keys, the softmax, and the
// product with the values.
var scoring = and(ops("Add", "Cast", "Clip", "DequantizeLinear", "Div", "Dropout", "DynamicQuantizeLinear", "Identity", "Max", "Min", "Mul", "QuantizeLinear", "Reshape",
	"Squeeze", "Sub", "Tanh", "Unsqueeze", "Where"), "DequantizeLinear", "QLinearAdd", "QuantizeLinear", "QLinearMul")

// maxScoring is the maximum number of nodes that are visited on each side of a softmax.
const maxScoring = 24

// findAttention finds attention that is written as several nodes. Its mark is at the softmax.
func (v *view) findAttention() {
	masks := map[graphops.ValueID]bool{}
	normalizes := v.operatorsWhere(func(op graphops.Op) bool { return softmaxes[op] })
	for i, n := range v.nodes {
		if !normalizes[v.x.Operator(i)] || !v.weighs(n) {
			continue
		}
		if product, masked := v.scores(n); product != nil {
			at := products[product.Op()]
			a := attention{query: v.in(product, at[0]), keys: v.in(product, at[1])}
			v.findHeads(&a, product)
			a.open = !slices.ContainsFunc(masked, func(id graphops.ValueID) bool { return !v.isPadding(masks, id) })
			v.at[i] = &mark{node: int32(i), what: isAttention, kind: "attention", attention: a}
		}
	}
}

// weighs reports whether the result of a softmax is multiplied by values.
func (v *view) weighs(softmax *graphops.Node) bool {
	next := []graphops.ValueID{v.out(softmax, 0)}
	for visited := 0; len(next) > 0 && visited < maxScoring; visited++ {
		id := next[0]
		next = next[1:]
		if id == none {
			continue
		}
		readers := v.x.Readers(id)
		for _, r := range readers[:min(len(readers), maxScoring)] {
			n := v.nodes[r]
			if at, ok := products[n.Op()]; ok {
				return v.areTensors(n, at)
			}
			if scoring[n.Op()] {
				next = append(next, v.out(n, 0))
			}
		}
	}
	return false
}

// areTensors reports whether both operands of a product are computed.
func (v *view) areTensors(n *graphops.Node, at [2]int) bool {
	a, b := v.in(n, at[0]), v.in(n, at[1])
	return a != none && b != none && !v.isConstant(a) && !v.isConstant(b)
}

// scores returns the product of queries and keys before a softmax, and what is added to it or
// replaces parts of it.
func (v *view) scores(softmax *graphops.Node) (product *graphops.Node, masked []graphops.ValueID) {
	id := v.in(softmax, 0)
	if softmax.OpType() == "BiasSoftmax" {
		masked = append(masked, v.in(softmax, 1))
	}
	for range maxScoring {
		p := v.producer(id)
		if p < 0 {
			return nil, nil
		}
		n := v.nodes[p]
		if at, ok := products[n.Op()]; ok {
			if v.areTensors(n, at) {
				return n, masked
			}
			return nil, nil
		}
		if !scoring[n.Op()] {
			return nil, nil
		}
		next := none
		for nth := range min(len(n.Inputs()), 4) {
			in := v.in(n, nth)
			switch {
			case in == none:
			case next == none && v.leadsToProduct(in):
				next = in
			case n.StandardOp() != "Mul" && n.StandardOp() != "Div" && !v.isScalar(in):
				masked = append(masked, in)
			}
		}
		id = next
	}
	return nil, nil
}

// isScalar reports whether a value certainly has one element.
func (v *view) isScalar(id graphops.ValueID) bool {
	d := v.dims(id)
	return d != nil && !slices.ContainsFunc(d, func(d dim.Dim) bool { return !d.Is(1) })
}

// leadsToProduct reports whether a value comes from a product of two computed tensors, by nodes
// that can be between it and a softmax.
func (v *view) leadsToProduct(id graphops.ValueID) bool {
	next := []graphops.ValueID{id}
	for visited := 0; len(next) > 0 && visited < maxScoring; visited++ {
		p := v.producer(next[0])
		next = next[1:]
		if p < 0 {
			continue
		}
		n := v.nodes[p]
		if at, ok := products[n.Op()]; ok {
			if v.areTensors(n, at) {
				return true
			}
			continue
		}
		if scoring[n.Op()] {
			for nth := range min(len(n.Inputs()), 4) {
				next = append(next, v.in(n, nth))
			}
		}
	}
	return false
}

// maxMask is the maximum number of nodes that compute a mask of padding.
const maxMask = 100

// hiding are operators by which a mask can compare positions, so that it may hide later ones.
var hiding = ops("And", "CumSum", "Equal", "GatherND", "Greater", "GreaterOrEqual", "If", "Less", "LessOrEqual", "Loop", "Or", "Range", "Scan", "ScatterElements", "ScatterND", "Trilu")

// isPadding reports whether a mask depends only on inputs of the model, and compares no positions.
// known has the answers for masks that were seen before, because all layers share one.
func (v *view) isPadding(known map[graphops.ValueID]bool, mask graphops.ValueID) (padding bool) {
	if answer, ok := known[mask]; ok {
		return answer
	}
	defer func() { known[mask] = padding }()
	next, seen := []graphops.ValueID{mask}, map[int]bool{}
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		p := v.producer(id)
		if p < 0 || v.nodes[p].IsConstant() {
			if v.isConstant(id) && v.size(id, -1) != 1 && len(v.dims(id)) > 1 {
				return false // a table, which may hide anything
			}
			continue
		}
		n := v.nodes[p]
		if seen[p] || n.Is("Shape") {
			continue
		}
		seen[p] = true
		if hiding[n.Op()] || len(seen) > maxMask {
			return false
		}
		for nth := range n.Inputs() {
			if in := v.in(n, nth); in != none && nth < 4 {
				next = append(next, in)
			}
		}
	}
	return true
}

// merging are operators through which the way from the heads as an axis of their own to a product
// leads.
var merging = ops("Cast", "DequantizeLinear", "Div", "Identity", "Mul", "QuantizeLinear", "Reshape", "Transpose")

// findHeads finds the number of heads and their size in the types of queries and keys.
func (v *view) findHeads(a *attention, product *graphops.Node) {
	d := v.dims(a.query)
	switch {
	case product.Is("Einsum"):
	case len(d) == 4:
		a.heads, a.size = v.size(a.query, 1), v.size(a.query, 3)
		a.kv = v.keyHeads(a.keys, a.heads)
	case len(d) == 3: // the heads are in the first axis, together with the batch
		a.size = v.size(a.query, 2)
		a.heads = v.splitHeads(a.query, d[0], a.size)
	}
}

// splitHeads searches before queries of three axes for a value in which the heads are an axis of
// their own.
func (v *view) splitHeads(id graphops.ValueID, merged dim.Dim, size int64) int64 {
	for range maxHops {
		p := v.producer(id)
		if p < 0 || !merging[v.nodes[p].Op()] {
			return 0
		}
		id = v.in(v.nodes[p], 0)
		d := v.dims(id)
		if len(d) != 4 || v.size(id, 3) != size {
			continue
		}
		for _, axis := range []int{1, 2} {
			if h, ok := d[axis].Number(); ok && d[0].Mul(dim.Number(h)).Equal(merged) {
				return h
			}
		}
	}
	return 0
}

// keyHeads searches before keys for the node that repeats them for several heads of the queries.
func (v *view) keyHeads(id graphops.ValueID, heads int64) int64 {
	for range maxHops {
		p := v.producer(id)
		if p < 0 {
			return 0
		}
		n := v.nodes[p]
		in := v.in(n, 0)
		if n.Is("Expand") && len(v.dims(in)) == 5 {
			if v.size(in, 2) == 1 && perHead(heads, v.size(in, 1)) > 1 {
				return v.size(in, 1)
			}
			return 0
		}
		if !merging[n.Op()] && !n.Is("Expand") {
			return 0
		}
		id = in
	}
	return 0
}

// sources are the values from outside of a block from which a value in it is computed.
type sources struct {
	values map[graphops.ValueID]bool
	cache  bool // one of them is an input of the model with keys of earlier runs
}

// sourcesOf returns the sources of a value in the current block. Values that are only sizes or
// positions do not count.
func (v *view) sourcesOf(id graphops.ValueID) sources {
	s := sources{values: map[graphops.ValueID]bool{}}
	next, seen := []graphops.ValueID{id}, map[graphops.ValueID]bool{}
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if id == none || seen[id] || !v.isReal(id) || v.isConstant(id) {
			continue
		}
		seen[id] = true
		p := v.producer(id)
		if p < 0 || v.inside[p] != v.block {
			s.values[id] = true
			s.cache = s.cache || v.isCache(id)
			continue
		}
		for nth := range v.nodes[p].Inputs() {
			next = append(next, v.in(v.nodes[p], nth))
		}
	}
	return s
}

// isReal reports whether a value has elements that are real numbers, as far as is known.
func (v *view) isReal(id graphops.ValueID) bool {
	elem := v.elem(id)
	return elem == tensor.Undefined || elem.Kind() == tensor.KindFloat || elem.Bits() <= 8 && elem != tensor.Bool
}

// isCache reports whether a value is an input, or a part of one, with axes for heads and positions.
func (v *view) isCache(id graphops.ValueID) bool {
	for range maxHops {
		p := v.producer(id)
		if p < 0 {
			return len(v.dims(id)) >= 4
		}
		switch n := v.nodes[p]; n.StandardOp() {
		case "Gather", "Split", "Squeeze", "Transpose", "Cast", "Identity", "Slice", "DequantizeLinear":
			id = v.in(n, 0)
		default:
			return false
		}
	}
	return false
}
