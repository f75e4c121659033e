package shape

import (
	"fmt"

	"lathe/graphops/dim"
)

// normalizations has the rules of operators that scale values by their statistics, such as mean and
// variance.
var normalizations = family{
	"BatchNormalization": batchNormalization, "InstanceNormalization": perChannel, "GroupNormalization": groupNormalization,
	"LayerNormalization": layerNormalization, "RMSNormalization": rmsNormalization,
	"LRN": firstShape, "Dropout": dropout,
}

// dropout is the rule of Dropout. In later versions, ratio and training_mode are inputs, which are
// scalars.
func dropout(c *call) {
	copies(0, 0, 1, 0)(c)
	c.rankIn(1, 0)
	c.rankIn(2, 0)
}

// perChannel is the rule of InstanceNormalization, which has a scale and a bias for each channel.
func perChannel(c *call) {
	firstShape(c)
	c.vector(1, 0, 1)
	c.vector(2, 0, 1)
}

// batchNormalization is the rule of BatchNormalization. It has statistics for each channel, or,
// with spatial=0, for each element of an image.
func batchNormalization(c *call) {
	firstShape(c)
	d, statistics := c.firstRankFrom(1), []dim.Dim(nil)
	spatial := c.attrInt("spatial", 1) != 0
	switch {
	case !spatial && len(d) > 0:
		statistics = d[1:]
	case len(d) > 1:
		statistics = d[1:2]
	case len(d) == 1:
		statistics = numbers(1)
	}
	for i := 1; i < 5; i++ {
		switch {
		case statistics != nil:
			c.expect(i, "one number for each channel", statistics...)
		case spatial:
			c.rankIn(i, 1)
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

// groupNormalization is the rule of GroupNormalization. It has one scale for each group in earlier
// versions, and one for each channel in later ones.
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

// layerNormalization is the rule of LayerNormalization. It also returns mean and deviation, whose
// type stash_type determines.
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

// normalized returns the sizes of input 0 with 1 for the normalized axes. The inputs factors are
// broadcast to input 0.
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

// spreadsTo requires that an input, if it is given, can be broadcast to sizes.
func (c *call) spreadsTo(i int, what string, into []dim.Dim) {
	d := c.dims(i)
	fits := len(d) <= len(into)
	for back := 1; fits && back <= len(d); back++ {
		fits = d[len(d)-back].Is(1) || !dim.Apart(d[len(d)-back], into[len(into)-back])
	}
	if !fits {
		c.problem(i, fmt.Sprintf("%s cannot be broadcast to %s, which is %s", c.describe(i), what, text(into)))
	}
	for back := 1; back <= min(len(d), len(into)); back++ {
		c.noteSpread(Source{d[len(d)-back], i, len(d) - back}, into[len(into)-back])
	}
}

// noteSpread demands that an axis has size 1 or the same size as another one.
func (c *call) noteSpread(from Source, into dim.Dim) {
	if from.Size.Is(1) {
		return
	}
	to := Source{into, from.Input, -1}
	if _, number := from.Size.Number(); number || into.Is(1) {
		c.note(to, from, Equals, "")
		return
	}
	c.note(from, to, Spreads, "")
}

// spreads requires that an axis has size 1 or the same size as another one.
func (c *call) spreads(small, large Source) {
	if dim.Apart(small.Size, large.Size) && dim.Apart(small.Size, dim.Number(1)) {
		c.unequal(large, small)
	}
	c.noteSpread(small, large.Size)
}

// spreadsOver requires that an input, if it is given, can be broadcast to another one.
func (c *call) spreadsOver(i, j int) {
	small, large := c.dims(i), c.dims(j)
	if len(small) > len(large) {
		c.problem(i, fmt.Sprintf("%s should have no more axes than %s", c.describe(i), c.describe(j)))
		return
	}
	for back := 1; back <= len(small); back++ {
		c.spreads(c.axisSource(i, -back), c.axisSource(j, -back))
	}
}
