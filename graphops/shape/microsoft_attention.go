package shape

import (
	"lathe/graphops/dim"
)

// fusedAttention has the rules of com.microsoft's attention operators: with one matrix of weights
// for queries, keys and values; with separate queries, keys and values and their caches; and for
// packed sequences.
var fusedAttention = family{
	"Attention": mergedAttention(4), "DecoderMaskedSelfAttention": mergedAttention(4), "QAttention": mergedAttention(8),
	"MultiHeadAttention": multiHead, "DecoderMaskedMultiHeadAttention": maskedMultiHead,
	"GroupQueryAttention": groupQuery, "SparseAttention": sparseAttention, "PagedAttention": pagedAttention,
	"PackedAttention": packedAttention, "PackedMultiHeadAttention": packedMultiHead,
	"DecoderAttention": decoderAttention, "QOrderedAttention": orderedAttention,
	"LongformerAttention": longformer(1), "QOrderedLongformerAttention": longformer(2),
	"RelativePositionBias": relativeBias, "GatedRelativePositionBias": gatedRelativeBias,
	"RotaryEmbedding": rotary, "MRotaryEmbedding": firstShape, "GemmaRotaryEmbedding": copies(0, 1, 1, 3),
}

// mergedAttention returns the rule of an attention that projects its input itself. The weights of
// queries, keys and values are columns of one matrix. past is the index of the input with the
// cache.
func mergedAttention(past int) rule {
	return func(c *call) {
		c.rankIn(0, 3)
		c.rankIn(1, 2)
		c.agree(0, 2, 1, 0)
		c.maskOver(past-1-(past-4)/2, c.extent(0, 1).Add(c.pastSteps(past)))
		query, value := c.projected(c.agree(1, 1, 2, 0))
		b, s := c.extent(0, 0), c.extent(0, 1)
		c.outDims(0, []dim.Dim{b, s, value})
		c.outDims(1, c.mergedPresent(past, b, s, query))
	}
}

// projected returns the widths of queries and values in merged weights of a width.
func (c *call) projected(width dim.Dim) (query, value dim.Dim) {
	if list, ok := c.attrInts("qkv_hidden_sizes"); ok && len(list) == 3 {
		sizes := numbers(list...)
		c.holds(1, 1, "qkv_hidden_sizes", sizes[0].Add(sizes[1]).Add(sizes[2]))
		return sizes[0], sizes[2]
	}
	third := c.portion(1, width, dim.Number(3))
	return third, third
}

// mergedPresent returns the shape of the updated cache of such an attention. The first axis has
// size 2: keys and values.
func (c *call) mergedPresent(past int, b, s, hidden dim.Dim) []dim.Dim {
	heads := c.positive("num_heads")
	length := s
	if c.has(past) {
		p := c.rankIn(past, 5)
		if len(p) == 5 {
			c.holds(past, 0, "keys and values", dim.Number(2))
			c.note(Source{p[4].Mul(c.positive("num_heads")), past, -1}, Source{hidden, 1, -1}, Equals, "")
		}
		if c.attrInt("past_present_share_buffer", 0) != 0 {
			return p
		}
		b = c.agree(0, 0, past, 1)
		heads = c.holds(past, 2, "num_heads", heads)
		length = c.extent(past, 3).Add(s)
	}
	return []dim.Dim{dim.Number(2), b, heads, length, c.portion(0, hidden, heads)}
}

func multiHead(c *call) {
	c.biasOf(3)
	c.attend(6, c.has(8))
}

func maskedMultiHead(c *call) {
	c.holds(0, 1, "one step at a time", dim.Number(1))
	c.biasOf(10)
	c.attend(5, c.attrInt("past_present_share_buffer", 0) != 0)
}

// pastSteps returns the number of sequence positions in a cache whose first axis has the keys and
// the values.
func (c *call) pastSteps(past int) dim.Dim {
	switch {
	case !c.has(past):
		return dim.Number(0)
	case c.attrInt("past_present_share_buffer", 0) != 0:
		return dim.Unknown()
	default:
		return c.extent(past, 3)
	}
}

// maskOver demands the sizes of a mask. It is one length for each sequence, or one number for each
// position of each sequence, possibly for each query. A mask of 1×1 means that there is none. A
// vector may have start positions after the lengths.
func (c *call) maskOver(i int, total dim.Dim) {
	batch, steps := c.axisSource(0, 0), c.axisSource(0, 1)
	switch len(c.dims(i)) {
	case 1:
		c.tolerate(func() { c.note(c.axisSource(i, 0), batch, Equals, "") })
	case 2:
		c.noteSpread(c.axisSource(i, 0), batch.Size)
		c.tolerate(func() {
			c.note(c.axisSource(i, 0), batch, Equals, "")
			c.note(c.axisSource(i, 1), Source{total, 0, -1}, Equals, "")
		})
	case 3:
		c.note(c.axisSource(i, 0), batch, Equals, "")
		c.note(c.axisSource(i, 1), steps, Equals, "")
		c.note(c.axisSource(i, 2), Source{total, 0, -1}, Equals, "")
	}
}

// biasOf demands that a bias has the total width of queries, keys and values.
func (c *call) biasOf(i int) {
	if len(c.dims(0)) != 3 || len(c.dims(1)) != 3 || len(c.dims(2)) != 3 {
		return
	}
	width := c.extent(0, 2).Mul(dim.Number(2)).Add(c.extent(2, 2))
	c.lists(i, width)
}

// attend infers the outputs of an attention on projected queries, keys and values. past is the
// index of the cache of keys, which is followed by that of values. If the outputs share the buffers
// of the caches, the caches always have their full length.
func (c *call) attend(past int, shared bool) {
	heads := c.positive("num_heads")
	k, v := c.keysAndValues(heads)
	b, s := c.agree(0, 0, 1, 0), c.extent(0, 1)
	if c.has(past+1) && !c.has(2) && len(c.dims(0)) == 3 {
		v.head = c.extent(past+1, 3)
	}
	c.outDims(0, []dim.Dim{b, s, heads.Mul(v.head)})
	if v.width.Known() {
		c.outDims(0, []dim.Dim{b, s, v.width})
	}
	c.note(c.axisSource(0, 0), c.axisSource(2, 0), Equals, "")
	c.samePast(past)
	keys := c.cached(past, shared, b, heads, k)
	c.outDims(1, keys)
	c.outDims(2, c.cached(past+1, shared, b, heads, v))
	total := dim.Unknown()
	if !shared && keys != nil {
		total = keys[2]
	}
	if c.node.OpType() == "MultiHeadAttention" {
		c.maskOver(4, total)
		c.biasOver(5, b, s, total)
	}
	c.outDims(3, []dim.Dim{b, heads, s, total})
}

// samePast demands that the caches of keys and values have the same steps, sequences and heads.
func (c *call) samePast(keys int) {
	for axis := range 3 {
		c.note(c.axisSource(keys, axis), c.axisSource(keys+1, axis), Equals, "")
	}
}

// operandOf are the sizes of keys or values: length is their number, width the size of all heads
// together, and head the size of one.
type operandOf struct{ length, width, head dim.Dim }

// keysAndValues returns the sizes of keys and values. They are separate inputs, joined with each
// other or with the queries in one input, or a cache.
func (c *call) keysAndValues(heads dim.Dim) (k, v operandOf) {
	q := c.rankIn(0, 3, 5)
	if len(q) == 5 {
		c.holds(0, 3, "the packing of queries, keys and values", dim.Number(3))
		k = operandOf{q[1], q[2].Mul(q[4]), q[4]}
		return k, k
	}
	key := c.rankIn(1, 3, 4, 5)
	if len(key) == 5 {
		c.holds(1, 3, "the packing of keys and values", dim.Number(2))
		k = operandOf{key[1], key[2].Mul(key[4]), key[4]}
		return k, k
	}
	if len(key) == 3 {
		c.agree(0, 2, 1, 2)
	}
	if len(key) == 3 && len(c.dims(2)) == 3 {
		c.agree(1, 1, 2, 1)
	}
	k, v = c.operand(1, heads), c.operand(2, heads)
	if !c.has(1) && !c.has(2) {
		k.length, v.length = c.extent(0, 1), c.extent(0, 1)
	}
	return k, v
}

func (c *call) operand(i int, heads dim.Dim) operandOf {
	d := c.rankIn(i, 3, 4)
	switch len(d) {
	case 3:
		return operandOf{d[1], d[2], c.portion(i, d[2], heads)}
	case 4:
		if len(c.dims(0)) == 3 {
			c.note(Source{d[3].Mul(heads), i, -1}, c.axisSource(0, 2), Equals, "")
		}
		c.agree(0, 0, i, 0)
		return operandOf{d[2], c.holds(i, 1, "num_heads", heads).Mul(d[3]), d[3]}
	default:
		return operandOf{dim.Unknown(), dim.Unknown(), dim.Unknown()}
	}
}

// cached returns the shape of the cache after a node has added to it.
func (c *call) cached(past int, shared bool, b, heads dim.Dim, x operandOf) []dim.Dim {
	if !c.has(past) {
		return []dim.Dim{b, heads, x.length, x.head}
	}
	p := c.rankIn(past, 4)
	if p == nil {
		return p
	}
	c.note(Source{p[0], past, 0}, Source{b, 0, 0}, Equals, "")
	c.note(Source{p[3], past, 3}, Source{x.head, past, -1}, Equals, "")
	if shared {
		c.note(Source{p[1], past, 1}, Source{heads, past, -1}, Equals, "")
		return p
	}
	c.agree(0, 0, past, 0)
	c.holds(past, 1, "num_heads", heads)
	return []dim.Dim{known(b, p[0]), known(heads, p[1]), p[2].Add(x.length), known(x.head, p[3])}
}

func packedAttention(c *call) {
	c.rankIn(0, 2)
	c.rankIn(1, 2)
	c.agree(0, 1, 1, 0)
	_, value := c.projected(c.agree(1, 1, 2, 0))
	c.outDims(0, []dim.Dim{c.extent(0, 0), value})
}

func packedMultiHead(c *call) {
	q := c.rankIn(0, 2, 4)
	width := c.extent(2, 1)
	if len(q) == 4 {
		width = q[1].Mul(q[3])
	} else {
		c.agree(0, 0, 1, 0)
		c.agree(0, 0, 2, 0)
	}
	c.outDims(0, []dim.Dim{c.extent(0, 0), width})
}

// decoderAttention is the rule of DecoderAttention, whose operands have the sequence axis first.
// The length of its caches depends on inputs that are known only in a run.
func decoderAttention(c *call) {
	c.rankIn(0, 3)
	c.agree(0, 2, 2, 0)
	c.outDims(0, c.dims(0))
	heads := c.positive("num_heads")
	cache := []dim.Dim{c.extent(0, 1), heads, dim.Unknown(), c.portion(0, c.extent(0, 2), heads)}
	c.outDims(1, cache)
	c.outDims(2, cache)
}

func orderedAttention(c *call) {
	c.rankIn(0, 3)
	for _, weight := range []int{5, 6, 7} {
		c.agree(0, 2, weight, 0)
	}
	c.outDims(0, []dim.Dim{c.extent(0, 0), c.extent(0, 1), c.extent(7, 1)})
}

func longformer(weight int) rule {
	return func(c *call) {
		c.rankIn(0, 3)
		c.agree(0, 2, weight, 0)
		firstShape(c)
	}
}

func relativeBias(c *call) {
	c.rankIn(0, 2)
	c.outDims(0, []dim.Dim{dim.Number(1), c.extent(0, 1), c.single(1), c.single(2)})
}

func gatedRelativeBias(c *call) {
	b, s := c.extent(0, 0), c.extent(0, 1)
	if len(c.rankIn(0, 2, 3)) == 2 {
		b, s = c.extent(6, 0), c.extent(6, 1)
	}
	c.outDims(0, []dim.Dim{b, c.positive("num_heads"), s, s})
}

func rotary(c *call) {
	firstShape(c)
	x := c.rankIn(0, 2, 3, 4)
	if len(x) < 3 {
		return
	}
	steps, width := x[len(x)-2], x[len(x)-1]
	if n := c.attrInt("num_heads", 0); len(x) == 3 && n > 0 {
		width = c.portion(0, width, dim.Number(n))
	} else if len(x) == 3 {
		c.partsInto(0, width, c.extent(2, 1).Mul(dim.Number(2)))
		width = dim.Unknown() // the width of a head is that of the table
	}
	if n := c.attrInt("rotary_embedding_dim", 0); n > 0 {
		width = dim.Number(n)
	}
	for _, table := range []int{2, 3} {
		c.note(Source{c.extent(table, 1).Mul(dim.Number(2)), table, -1}, Source{width, 0, -1}, Equals, "")
	}
	c.agree(2, 0, 3, 0)
	if len(c.dims(1)) == 2 {
		c.note(Source{x[0], 0, 0}, c.axisSource(1, 0), Equals, "")
		c.note(Source{steps, 0, len(x) - 2}, c.axisSource(1, 1), Equals, "")
	}
	c.atLeast(c.axisSource(2, 0), steps, rowsThere)
	c.indexes(1, c.axisSource(2, 0))
}
