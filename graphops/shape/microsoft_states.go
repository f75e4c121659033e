package shape

import (
	"slices"

	"lathe/graphops/dim"
)

// stateful has the rules of com.microsoft's recurrent operators, which pass a state to the next
// step or call.
var stateful = family{
	"DynamicQuantizeLSTM": cells(1), "AttnLSTM": cells(2),
	"CausalConvWithState": causalConv, "VarlenCausalConvWithState": packedCausalConv,
	"LinearAttention": windowedAttention, "GatedDeltaNet": deltaNet,
	"NGramHashMapping": hashMapping, "BifurcationDetector": bifurcation,
}

// cells returns the rule of an LSTM operator of com.microsoft. hidden is the axis of the recurrent
// weights whose size is the hidden size.
func cells(hidden int) rule {
	return func(c *call) {
		c.rankIn(0, 3)
		c.rankIn(2, 3)
		directions := dim.Number(1)
		if c.attrText("direction", "forward") == "bidirectional" {
			directions = dim.Number(2)
		}
		c.holds(1, 0, "direction", directions)
		directions = c.holds(2, 0, "direction", directions)
		width := c.extent(2, hidden)
		if _, ok := c.attr("hidden_size"); ok {
			width = c.holds(2, hidden, "hidden_size", c.positive("hidden_size"))
		}
		length, batch := c.extent(0, 0), c.extent(0, 1)
		c.vector(4, 0, 1)
		for _, i := range []int{5, 6} {
			c.expect(i, "a state for each direction and sequence", directions, batch, width)
		}
		if c.node.OpType() == "AttnLSTM" {
			c.agree(0, 1, 11, 0)
			c.vector(12, 0, 1)
		}
		c.outDims(0, []dim.Dim{length, directions, batch, width})
		c.outDims(1, []dim.Dim{directions, batch, width})
		c.outDims(2, []dim.Dim{directions, batch, width})
	}
}

// causalConv is the rule of CausalConvWithState, which returns the past steps that its kernel still
// needs as the new state.
func causalConv(c *call) {
	firstShape(c)
	channels := 1
	if c.attrInt("channels_last", 0) != 0 {
		channels = -1
	}
	c.agree(0, channels, 1, 0)
	c.vector(2, 0, channels)
	if c.has(3) {
		c.agree(0, 0, 3, 0)
		c.agree(0, channels, 3, channels)
		if w := c.dims(1); len(w) == 3 && channels == 1 && c.attrInt("ndim", 1) == 1 {
			c.holds(3, 2, "the past steps that the kernel needs", w[2].Sub(dim.Number(1)).Mul(dim.Number(c.attrInt("dilation", 1))))
		}
		c.outDims(1, c.dims(3))
		return
	}
	d, w := c.dims(0), c.dims(1)
	if len(d) < 3 || w == nil || c.attrInt("ndim", 1) != 1 || c.rankIn(1, 3) == nil {
		return
	}
	kept := w[2].Sub(dim.Number(1)).Mul(dim.Number(c.attrInt("dilation", 1)))
	state := []dim.Dim{d[0], d[1], kept}
	if c.attrInt("channels_last", 0) != 0 {
		state = slices.Concat([]dim.Dim{d[0], kept}, d[2:])
	}
	c.outDims(1, c.windowed(state))
}

// windowed returns the shape of a state, or of the number of last states given by an attribute.
func (c *call) windowed(state []dim.Dim) []dim.Dim {
	if n := c.attrInt("state_window", 0); n > 0 {
		return slices.Concat(numbers(n), state)
	}
	return state
}

func packedCausalConv(c *call) {
	c.rankIn(0, 2)
	c.agree(0, 1, 1, 0)
	c.agree(0, 1, 4, 1)
	copies(0, 0, 1, 4)(c)
	c.outDims(2, []dim.Dim{c.extent(4, 0), dim.Number(c.attrInt("state_update_capacity", 0)), c.extent(0, 1)})
}

func windowedAttention(c *call) {
	for i := range 3 {
		c.rankIn(i, 3)
	}
	heads, kvHeads := c.positive("q_num_heads"), c.positive("kv_num_heads")
	key, value := c.portion(0, c.extent(0, 2), heads), c.portion(2, c.extent(2, 2), kvHeads)
	b := known(c.agree(0, 0, 1, 0), c.agree(0, 0, 2, 0))
	s := known(c.agree(0, 1, 1, 1), c.agree(0, 1, 2, 1))
	c.outDims(0, []dim.Dim{b, s, heads.Max(kvHeads).Mul(value)})
	if d := c.dims(3); d != nil {
		for i, n := range []dim.Dim{b, kvHeads, key, value} {
			if len(d) == 4 {
				c.note(Source{d[i], 3, i}, Source{n, 3, -1}, Equals, "")
			}
		}
		c.outDims(1, d)
		return
	}
	c.outDims(1, c.windowed([]dim.Dim{b, kvHeads, key, value}))
}

// deltaNet is the rule of GatedDeltaNet. Its input has rows of tokens, or batches of them. If
// queries, keys and values are joined in one row, the sizes of the heads are those of its state.
func deltaNet(c *call) {
	q := c.dims(0)
	if q == nil {
		return
	}
	heads, key := c.extent(0, -2), c.extent(0, -1)
	kvHeads, value := c.extent(2, -2), c.extent(2, -1)
	rows := q[:max(len(q)-2, 0)]
	if !c.has(2) {
		rows = q[:max(len(q)-1, 0)]
		kvHeads, value, key = c.extent(6, 1), c.extent(6, 2), c.extent(6, 3)
		heads = kvHeads
	}
	c.outDims(0, slices.Concat(rows, []dim.Dim{heads.Max(kvHeads), value}))
	batch := c.extent(6, 0)
	if !c.has(6) && c.has(3) {
		batch = c.extent(3, 0).Sub(dim.Number(1))
	}
	c.outDims(1, []dim.Dim{batch, kvHeads, value, key})
	if c.has(6) {
		c.outDims(1, c.dims(6))
	}
	c.outDims(2, []dim.Dim{batch, dim.Unknown()})
}

func hashMapping(c *call) {
	c.rankIn(0, 2)
	n := c.positive("max_ngram_size").Sub(dim.Number(1))
	c.outDims(0, []dim.Dim{c.extent(0, 0), c.extent(0, 1), n.Mul(c.positive("n_head_per_ngram"))})
	c.outDims(1, []dim.Dim{c.extent(0, 0), n})
}

func bifurcation(c *call) {
	c.outDims(0, unknownDims(1))
	c.outDims(1, c.dims(2))
}
