package shape

import (
	"slices"

	"lathe/graphops/dim"
)

// fusedNormalizations has the rules of com.microsoft's normalizations with a residual or
// embeddings.
var fusedNormalizations = family{
	"SkipLayerNormalization": skipNormalization, "SkipSimplifiedLayerNormalization": skipNormalization,
	"QOrderedLayerNormalization": biased(0, 2), "GroupNorm": groupNorm, "SkipGroupNorm": groupNorm,
	"EmbedLayerNormalization": embedding(2, 5, 7), "QEmbedLayerNormalization": embedding(2, 5, 7),
}

// simplified has the rule of the normalization that ONNX Runtime adds to the standard's domain.
var simplified = family{"SimplifiedLayerNormalization": simplifiedNormalization}

func simplifiedNormalization(c *call) {
	firstShape(c)
	d := c.dims(0)
	if d == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", -1), len(d))
	if !ok {
		return
	}
	if axis == len(d)-1 {
		c.vector(1, 0, -1)
	}
	c.outTensor(1, c.typeIn("stash_type"), onesFrom(d, axis))
}

// onesFrom returns sizes with 1 from an axis on.
func onesFrom(d []dim.Dim, axis int) []dim.Dim {
	out := slices.Clone(d)
	for i := axis; i < len(out); i++ {
		out[i] = dim.Number(1)
	}
	return out
}

// skipNormalization is the rule of SkipLayerNormalization. It adds a residual, which may have no
// batch axis, or a batch of one for all.
func skipNormalization(c *call) {
	d := c.rankIn(0, 2, 3)
	c.vector(2, 0, -1)
	skip := c.rankIn(1, 2, 3)
	if d != nil && skip != nil {
		for back := 1; back <= min(len(d), len(skip)); back++ {
			if back < 3 {
				c.agree(0, -back, 1, -back)
			} else { // ONNX Runtime accepts the result of the other rows
				c.tolerate(func() { c.spreads(c.axisSource(1, 0), c.axisSource(0, 0)) })
			}
		}
	}
	firstShape(c)
	if d != nil {
		for o := 1; o <= 2; o++ {
			c.outDims(o, onesFrom(d, len(d)-1))
		}
	}
	c.outDims(3, c.dims(0))
}

func groupNorm(c *call) {
	channels := -1
	if c.attrInt("channels_last", 1) == 0 {
		channels = 1
	}
	c.rankIn(0, 4)
	c.vector(1, 0, channels)
	c.vector(2, 0, channels)
	if n := c.positive("groups"); n.Known() {
		c.portion(0, c.extent(0, channels), n)
	}
	copies(0, 0, 1, 0)(c)
}

// embedding returns the rule of EmbedLayerNormalization, which looks up words, positions and
// segments, and adds them. words, gamma and mask are the indices of inputs.
func embedding(words, gamma, mask int) rule {
	return func(c *call) {
		c.rankIn(0, 2)
		c.rankIn(words, 2)
		hidden := dim.Unknown()
		c.whenLoading(func() {
			for _, table := range []int{words + 1, words + 2} {
				c.agree(words, 1, table, 1)
			}
			hidden = c.agree(words, 1, gamma, 0)
			c.agree(words, 1, gamma+1, 0)
		})
		b, s := c.extent(0, 0), c.extent(0, 1)
		for _, ids := range []int{1, mask} {
			b, s = known(b, c.agree(0, 0, ids, 0)), known(s, c.agree(0, 1, ids, 1))
		}
		if given := mask + 1; c.has(given) {
			c.noteSpread(c.axisSource(given, 0), b)
			c.note(c.axisSource(given, 1), Source{s, 0, 1}, Equals, "")
		} else {
			c.atLeast(c.axisSource(words+1, 0), s, rowsThere)
		}
		c.outDims(0, []dim.Dim{b, s, hidden})
		c.outDims(1, []dim.Dim{b})
		c.outDims(2, []dim.Dim{b, s, hidden})
	}
}
