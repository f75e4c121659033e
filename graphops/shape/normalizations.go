package shape

import (
	"fmt"

	"lathe/graphops/dim"
)

// normalizations scale values by what is typical of some of them.
var normalizations = family{
	"BatchNormalization": batchNormalization, "InstanceNormalization": perChannel, "GroupNormalization": groupNormalization,
	"LayerNormalization": layerNormalization, "RMSNormalization": rmsNormalization,
	"LRN": firstShape, "Dropout": copies(0, 0, 1, 0),
}

// perChannel has a scale and a bias for each channel.
func perChannel(c *call) {
	firstShape(c)
	c.vector(1, 0, 1)
	c.vector(2, 0, 1)
}

// batchNormalization has statistics for each channel, or, with spatial=0, for each
// element of an image.
func batchNormalization(c *call) {
	firstShape(c)
	d, statistics := c.dims(0), []dim.Dim(nil)
	switch {
	case c.attrInt("spatial", 1) == 0 && len(d) > 0:
		statistics = d[1:]
	case len(d) > 1:
		statistics = d[1:2]
	}
	if statistics != nil {
		for i := 1; i < 5; i++ {
			c.expect(i, "one number for each channel", statistics...)
		}
	}
	for o, i := range []int{3, 4, 3, 4} {
		if told := c.dims(i); told != nil && (statistics == nil || len(told) != len(statistics)) {
			c.outDims(o+1, told)
		} else {
			c.outDims(o+1, statistics)
		}
	}
}

// groupNormalization had a scale for each group before it had one for each channel.
func groupNormalization(c *call) {
	firstShape(c)
	groups := c.positive("num_groups")
	c.portion(0, c.extent(0, 1), groups)
	for i := 1; i < 3; i++ {
		switch {
		case c.since >= 21:
			c.vector(i, 0, 1)
		case c.has(i) && c.rankIn(i, 1) != nil:
			c.holds(i, 0, "num_groups", groups)
		}
	}
}

// layerNormalization tells mean and deviation, of a type of their own, as well.
func layerNormalization(c *call) {
	firstShape(c)
	statistics := c.normalized(1, 2)
	for o := 1; o < 3; o++ {
		c.outTensor(o, c.typeIn("stash_type"), statistics)
	}
}

func rmsNormalization(c *call) {
	firstShape(c)
	c.normalized(1)
}

// normalized is input 0 with 1 in the place of the axes that are normalized, to
// which factors, which are other inputs, are broadcast.
func (c *call) normalized(factors ...int) []dim.Dim {
	d := c.dims(0)
	if d == nil {
		return nil
	}
	for _, i := range factors {
		c.spreadsOver(i, 0)
	}
	axis, ok := c.axis(c.attrInt("axis", -1), len(d))
	if !ok {
		return nil
	}
	return onesFrom(d, axis)
}

// spreadsOver demands that an input, if it is there, can be broadcast to another one.
func (c *call) spreadsOver(i, j int) {
	small, large := c.dims(i), c.dims(j)
	if len(small) > len(large) {
		c.problem(i, fmt.Sprintf("%s should have no more axes than %s", c.describe(i), c.describe(j)))
		return
	}
	for back := 1; back <= len(small); back++ {
		if !small[len(small)-back].Is(1) {
			c.agree(j, -back, i, -back)
		}
	}
}
