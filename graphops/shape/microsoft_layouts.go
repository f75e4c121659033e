package shape

import "lathe/graphops/dim"

func reorderInput(c *call) {
	d := c.rankIn(0, 4)
	if d == nil {
		c.outDims(0, unknownDims(4))
		return
	}
	batch, _, plane := layout{byAttribute(c)}.parts(d)
	c.outDims(0, layout{}.image(batch, dim.Unknown(), plane))
}

func reorderOutput(c *call) {
	d := c.rankIn(0, 4)
	if d == nil {
		c.outDims(0, unknownDims(4))
		return
	}
	batch, _, plane := layout{}.parts(d)
	c.outDims(0, layout{byAttribute(c)}.image(batch, c.positive("channels"), plane))
}

// upsampleBlocked is the rule of com.microsoft.nchwc::Upsample. It repeats elements along the
// height and width by integer factors.
func upsampleBlocked(c *call) {
	d := c.rankIn(0, 4)
	scales, _ := c.attrInts("scales")
	if d == nil || len(scales) != len(d) {
		c.outDims(0, unknownDims(4))
		return
	}
	out := make([]dim.Dim, len(d))
	for i, n := range d {
		out[i] = n.Mul(dim.Number(scales[i]))
	}
	c.outDims(0, out)
}

// blocksLast returns the rule of DepthToSpace or SpaceToDepth with channels last. Blocks of
// elements move between the channels and the other axes of the image.
func blocksLast(toSpace bool) rule {
	return func(c *call) {
		d, by := c.rankIn(0, 4), c.positive("blocksize")
		if d == nil || !by.Known() {
			c.outDims(0, unknownDims(4))
			return
		}
		if toSpace {
			c.outDims(0, []dim.Dim{d[0], d[1].Mul(by), d[2].Mul(by), c.portion(0, d[3], by.Mul(by))})
			return
		}
		c.outDims(0, []dim.Dim{d[0], c.portion(0, d[1], by), c.portion(0, d[2], by), d[3].Mul(by).Mul(by)})
	}
}

func gridSampleLast(c *call) {
	if d := c.dims(0); len(d) > 2 && c.rankIn(1, len(d)) != nil {
		out := append([]dim.Dim{}, c.dims(1)...)
		out[0], out[len(out)-1] = c.agree(0, 0, 1, 0), d[len(d)-1]
		c.outDims(0, out)
	}
}
