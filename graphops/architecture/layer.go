package architecture

import (
	"cmp"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/summary"
)

// layer is a repetition of a part that is being described.
type layer struct {
	*finder
	Facts
	nodes    []int32
	sizes    summary.Facts
	caches   []*Cache
	evidence []Evidence
}

func (f *finder) layer(nodes []int32, sizes summary.Facts) *layer {
	return &layer{finder: f, nodes: nodes, sizes: sizes}
}

// say adds evidence for a fact. The first evidence of a fact counts.
func (l *layer) say(fact, format string, a ...any) {
	if !slices.ContainsFunc(l.evidence, func(e Evidence) bool { return e.Fact == fact }) {
		l.evidence = append(l.evidence, Evidence{fact, fmt.Sprintf(format, a...)})
	}
}

// each calls a function for the nodes of the layer.
func (l *layer) each(do func(n *graphops.Node)) {
	for _, i := range l.nodes {
		do(l.finder.nodes[i])
	}
}

// describe finds the facts.
func (l *layer) describe() {
	l.heads()
	l.cache()
	l.window()
	l.rotary()
	l.packing()
	l.norm()
	l.activation()
	l.experts()
}

// exact returns a size if there is only one.
func exact(r summary.Range) int64 {
	if r.Min == r.Max {
		return max(r.Max, 0)
	}
	return 0
}

// headAttributes are the attributes with the number of heads of queries.
var headAttributes = []string{"num_heads", "q_num_heads"}

// heads finds the numbers of heads, and their size. Summary has them of each attention. The sizes of
// a cache say how many heads keys and values have.
func (l *layer) heads() {
	l.Heads, l.HeadSize, l.KVHeads = exact(l.sizes.Heads), exact(l.sizes.HeadSize), exact(l.sizes.KVHeads)
	l.Hidden = exact(l.sizes.Hidden)
	if l.Hidden > 0 {
		l.say("hidden", "the products of the feed-forward part begin and end with this width")
	}
	l.each(func(n *graphops.Node) {
		for _, name := range headAttributes {
			if v, ok := integer(n, name); ok && v == l.Heads && v > 0 && attends(n) {
				l.say("heads", "%s of %s", name, called(n))
			}
		}
		if v, ok := integer(n, "kv_num_heads"); ok && v > 0 && l.Heads > 0 && l.Heads%v == 0 && attends(n) && (l.KVHeads == 0 || l.KVHeads == v) {
			l.KVHeads = v
			l.say("kv heads", "kv_num_heads of %s", called(n))
		}
	})
	for _, c := range l.caches {
		if c.Cross || c.heads == 0 || !c.holdsHeads() {
			continue
		}
		if l.KVHeads == 0 && (l.Heads == 0 || l.Heads%c.heads == 0) {
			l.KVHeads = c.heads
			l.say("kv heads", "an axis of the cache %s", graphops.ShortQuoted(c.name()))
		}
		if l.HeadSize == 0 && c.size > 0 && c.bits == 0 {
			l.HeadSize = c.size
			l.say("head size", "the last axis of the cache %s", graphops.ShortQuoted(c.name()))
		}
	}
	if l.Heads > 0 {
		l.say("heads", "an axis of the queries")
	}
	if l.HeadSize > 0 {
		l.say("head size", "the queries have this size for each head")
	}
	if l.KVHeads > 0 {
		l.say("kv heads", "an axis of the keys")
	}
}

// attends reports whether a node is an operator of attention.
func attends(n *graphops.Node) bool {
	switch n.OpType() {
	case "Attention", "GroupQueryAttention", "MultiHeadAttention", "SparseAttention", "PagedAttention", "QAttention", "DecoderMaskedMultiHeadAttention",
		"DecoderMaskedSelfAttention", "DecoderAttention", "PackedAttention", "PackedMultiHeadAttention", "LongformerAttention", "LinearAttention", "GatedDeltaNet":
		return n.Domain() == graphops.DefaultDomain || n.Domain() == graphops.MicrosoftDomain
	default:
		return false
	}
}

// cache says how the caches of the layer are kept.
func (l *layer) cache() {
	var kinds []string
	for _, c := range l.caches {
		if !c.Cross && !slices.Contains(kinds, c.Kind) {
			kinds = append(kinds, c.Kind)
		}
	}
	slices.Sort(kinds)
	for i, k := range kinds {
		if i > 0 {
			l.Cache += " and "
		}
		l.Cache += k
	}
	for _, c := range l.caches {
		if !c.Cross {
			l.say("cache", "%s: %s", graphops.ShortQuoted(c.name()), c.Form)
		}
	}
}

// window finds how far the attention looks back.
func (l *layer) window() {
	l.each(func(n *graphops.Node) {
		if v, ok := integer(n, "local_window_size"); ok && v > 0 && attends(n) && l.Window == 0 {
			l.Window = v
			l.say("window", "local_window_size of %s", called(n))
		}
		if v, ok := real(n, "softcap"); ok && v > 0 && attends(n) && l.Softcap == 0 {
			l.Softcap = v
			l.say("softcap", "softcap of %s", called(n))
		}
	})
	for _, c := range l.caches {
		if c.Window > 0 && l.Window == 0 && !c.Cross {
			l.Window = c.Window
			l.say("window", "the cache %s keeps as many positions", graphops.ShortQuoted(c.name()))
		}
	}
}

// experts finds the number of experts, and how many of them a token uses.
func (l *layer) experts() {
	l.Experts = exact(l.sizes.Experts)
	l.each(func(n *graphops.Node) {
		if n.Domain() != graphops.MicrosoftDomain || n.OpType() != "MoE" && n.OpType() != "QMoE" {
			return
		}
		l.TopK = integerOr(n, "k", 1)
		l.say("experts", "the first axis of the weights of %s", called(n))
		l.say("top k", "k of %s", called(n))
	})
}

// packed are operators with weights that are quantized in groups, and the attributes of bits and of
// the size of a group.
var packed = map[string][2]string{
	"MatMulNBits": {"bits", "block_size"}, "MatMulNBitsMlp": {"bits", "block_size"}, "MatMulNBitsQkv": {"bits", "block_size"},
	"MatMulBnb4": {"", "block_size"}, "QMoE": {"expert_weight_bits", "block_size"},
}

// defaultBits is the default of the attribute of bits.
const defaultBits = 4

// packing finds how the weights of the layer are quantized in groups.
func (l *layer) packing() {
	elements := map[Packing]int64{}
	l.each(func(n *graphops.Node) {
		p, at := Packing{}, 0
		switch attributes, ok := packed[n.OpType()]; {
		case ok && n.Domain() == graphops.MicrosoftDomain:
			p, at = Packing{integerOr(n, attributes[0], defaultBits), integerOr(n, attributes[1], 0)}, packedWeights(n)
		case n.Is("DequantizeLinear"):
			t := l.constant(l.in(n, 0))
			if t == nil {
				return
			}
			p = Packing{int64(t.DType().Bits()), integerOr(n, "block_size", 0)}
		default:
			return
		}
		if p.Group <= 0 || p.Bits <= 0 || p.Bits > 8 {
			return
		}
		size := int64(1)
		if t := l.stored(l.in(n, at)); t != nil {
			if b, err := t.ByteLen(); err == nil {
				size = max(b, 1)
			}
		}
		if elements[p] == 0 {
			l.Weights = append(l.Weights, p)
		}
		elements[p] += size
		l.say("weights", "bits and block_size of %s", called(n))
	})
	slices.SortStableFunc(l.Weights, func(a, b Packing) int {
		return cmp.Or(cmp.Compare(elements[b]*b2(b), elements[a]*b2(a)), cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.Group, b.Group))
	})
}

// b2 is how many weights of a packing a byte has, at least 1.
func b2(p Packing) int64 { return max(8/p.Bits, 1) }

// packedWeights is the input with the weights.
func packedWeights(n *graphops.Node) int {
	switch n.OpType() {
	case "MatMulNBitsMlp", "MatMulNBitsQkv":
		return 3
	case "QMoE":
		return 2
	default:
		return 1
	}
}
