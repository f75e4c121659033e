package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// pools has the rules of operators that compute one element from all elements in a window, or
// reverse this.
var pools = family{
	"AveragePool": pool(never), "MaxPool": pool(never), "LpPool": pool(never),
	"GlobalAveragePool": globalPool(never), "GlobalMaxPool": globalPool(never), "GlobalLpPool": globalPool(never),
	"MaxUnpool": maxUnpool, "MaxRoiPool": maxRoiPool, "RoiAlign": roiAlign,
}

// pool returns the rule of a pool, which may have a second output for the positions of the selected
// elements. last reports whether the channels are the last axis.
func pool(last func(*call) bool) rule {
	return func(c *call) {
		kernel, ok := c.kernel(0, false)
		if !ok || len(c.out) == 0 {
			return
		}
		l, d := layout{last(c)}, c.dims(0)
		channels := dim.Unknown()
		if d != nil {
			_, channels, _ = l.parts(d)
		}
		c.tolerate(func() { c.slide(l, channels, kernel) })
		if out := c.out[0].Dims; out != nil && c.dilatedSame() {
			batch, channels, _ := l.parts(out)
			c.outDims(0, l.image(batch, channels, unknownDims(len(kernel))))
		}
		c.outDims(1, c.out[0].Dims)
	}
}

// dilatedSame reports whether a kernel with gaps has SAME padding. ONNX Runtime pads as if there
// were no gaps, so the sizes differ from the standard's.
func (c *call) dilatedSame() bool {
	list, _ := c.attrInts("dilations")
	return windows{autoPad: c.attrText("auto_pad", "")}.same() && slices.ContainsFunc(list, func(n int64) bool { return n != 1 })
}

// globalPool returns the rule of a pool that computes one element for each channel. last reports
// whether the channels are the last axis.
func globalPool(last func(*call) bool) rule {
	return func(c *call) {
		d, _ := c.image(0)
		if d == nil {
			return
		}
		l := layout{last(c)}
		batch, channels, plane := l.parts(d)
		c.outDims(0, l.image(batch, channels, slices.Repeat(numbers(1), len(plane))))
	}
}

// maxUnpool is the rule of MaxUnpool. It writes elements back to the positions from which a MaxPool
// took them.
func maxUnpool(c *call) {
	kernel, ok := c.kernel(0, false)
	if !ok {
		return
	}
	d := c.dims(0)
	if d != nil {
		c.expect(1, "a position for each element", d...)
	}
	if c.has(2) {
		c.lists(2, dim.Number(int64(len(kernel)+2)))
		c.outDims(0, c.unpooledTo(len(kernel)+2))
		return
	}
	w, ok := c.windows(kernel)
	plane := unknownDims(len(kernel))
	if ok && d != nil {
		plane = w.covered(d[2:], make([]int64, len(plane)))
	}
	c.outDims(0, layout{}.image(c.extent(0, 0), c.extent(0, 1), plane))
}

// unpooledTo returns the shape given by an input.
func (c *call) unpooledTo(rank int) []dim.Dim {
	sizes := c.sizes(2)
	if sizes != nil && len(sizes) != rank {
		c.problem(2, fmt.Sprintf("%s should be a shape of rank %d", c.describe(2), rank))
	}
	if len(sizes) != rank {
		return unknownDims(rank)
	}
	return sizes
}

func maxRoiPool(c *call) {
	c.rankIn(0, 4)
	if c.rankIn(1, 2) != nil {
		c.holds(1, 1, "a batch and the corners of a region", dim.Number(5))
	}
	plane := unknownDims(2)
	if size, ok := c.perAxis("pooled_shape", 2, 1); ok {
		if _, given := c.attr("pooled_shape"); given {
			plane = numbers(size...)
		}
	}
	c.outDims(0, layout{}.image(c.extent(1, 0), c.extent(0, 1), plane))
}

func roiAlign(c *call) {
	c.rankIn(0, 4)
	if c.rankIn(1, 2) != nil {
		c.holds(1, 1, "the corners of a region", dim.Number(4))
	}
	c.vector(2, 1, 0)
	plane := []dim.Dim{dim.Number(1), dim.Number(1)}
	for i, name := range []string{"output_height", "output_width"} {
		if _, given := c.attr(name); given {
			plane[i] = c.positive(name)
		}
	}
	c.outDims(0, layout{}.image(c.extent(1, 0), c.extent(0, 1), plane))
}
