package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// additions has the rules of com.microsoft's other operators: those that move elements, look-ups,
// signals and text.
var additions = family{
	"ExpandDims": expandDims, "Pad": padMicrosoft, "Range": rangeMicrosoft, "Unique": uniqueMicrosoft,
	"GatherND": gatherND, "TorchEmbedding": torchEmbedding, "UnfoldTensor": unfold,
	"GridSample": gridSample4, "CropAndResize": cropAndResize,
	"Rfft": realTransform, "Irfft": inverseRealTransform, "DynamicTimeWarping": timeWarping,
	"Tokenizer": tokenizer, "WordConvEmbedding": wordConv,
	"RemovePadding": removePadding, "RestorePadding": restorePadding,
}

func expandDims(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	at, ok := c.single(1).Number()
	if !ok {
		c.outDims(0, unknownDims(len(d)+1))
		return
	}
	if axis, ok := c.axis(at, len(d)+1); ok {
		c.outDims(0, slices.Insert(slices.Clone(d), axis, dim.Number(1)))
	}
}

// padMicrosoft is the rule of com.microsoft::Pad, whose pads are a vector or a matrix with one row.
func padMicrosoft(c *call) {
	d, pads := c.dims(0), c.sizes(1)
	if d != nil {
		c.lists(1, dim.Number(int64(2*len(d))))
	}
	c.expectOne(2)
	switch {
	case d == nil:
	case pads == nil:
		c.outDims(0, unknownDims(len(d)))
	case len(pads) != 2*len(d):
		c.problem(1, fmt.Sprintf("there are %d pads, expected two for each axis of %s", len(pads), c.describe(0)))
	default:
		out := make([]dim.Dim, len(d))
		for i, n := range d {
			out[i] = c.padded(Source{n, 0, i}, pads[i], pads[i+len(d)])
		}
		c.outDims(0, out)
	}
}

// rangeMicrosoft is the rule of com.microsoft::Range, which uses steps of 1 if none are given.
func rangeMicrosoft(c *call) {
	start, limit, delta := c.elems(0), c.elems(1), []elem{numberElem(1)}
	if c.has(2) {
		delta = c.elems(2)
	}
	c.outDims(0, unknownDims(1))
	if len(start) != 1 || len(limit) != 1 || len(delta) != 1 {
		return
	}
	c.rangeFrom(start[0], limit[0], delta[0])
}

func uniqueMicrosoft(c *call) {
	c.rankIn(0, 1)
	n := unknownDims(1)
	c.outDims(0, n)
	c.outTensor(1, tensor.I64, []dim.Dim{c.extent(0, 0)})
	c.outTensor(2, tensor.I64, n)
}

func torchEmbedding(c *call) {
	c.rankIn(0, 2)
	if at := c.dims(1); at != nil {
		c.outDims(0, append(slices.Clone(at), c.extent(0, 1)))
	}
}

// unfold is the rule of UnfoldTensor. It lists the slices of an axis, with their elements on a new
// last axis.
func unfold(c *call) {
	d, size := c.dims(0), c.positive("size")
	if d == nil {
		return
	}
	step := dim.Number(1)
	if _, ok := c.attr("step"); ok {
		step = c.positive("step")
	}
	axis, ok := c.axis(c.attrInt("dim", -1), len(d))
	if !ok {
		return
	}
	c.roomFor(size, d[axis])
	out := append(slices.Clone(d), size)
	out[axis] = d[axis].Sub(size).FloorDiv(step).Add(dim.Number(1))
	c.outDims(0, out)
}

func gridSample4(c *call) {
	c.rankIn(0, 4)
	c.rankIn(1, 4)
	c.holds(1, 3, "the two coordinates of a point", dim.Number(2))
	if len(c.out) > 0 {
		c.outTensor(0, c.elem(0), []dim.Dim{c.agree(0, 0, 1, 0), c.extent(0, 1), c.extent(1, 1), c.extent(1, 2)})
	}
}

func cropAndResize(c *call) {
	c.rankIn(0, 4)
	c.rankIn(1, 2)
	c.holds(1, 1, "the corners of a region", dim.Number(4))
	size := unknownDims(2)
	if given := c.sizes(3); len(given) == 2 {
		size = given
	} else if given != nil {
		c.problem(3, fmt.Sprintf("%s has %d elements, expected 2", c.describe(3), len(given)))
	}
	c.outDims(0, []dim.Dim{c.agree(1, 0, 2, 0), c.extent(0, 1), size[0], size[1]})
}

// realTransform is the rule of Rfft. It omits the half of the frequencies that follows from the
// other one, and has two numbers for each.
func realTransform(c *call) {
	if d := c.dims(0); len(d) > 0 {
		half := d[len(d)-1].FloorDiv(dim.Number(2)).Add(dim.Number(1))
		c.outDims(0, append(lastAs(d, half), dim.Number(2)))
	}
}

func inverseRealTransform(c *call) {
	c.holds(0, -1, "the parts of a complex number", dim.Number(2))
	if d := c.dims(0); len(d) > 1 {
		whole := c.extent(0, -2).Sub(dim.Number(1)).Mul(dim.Number(2))
		c.outDims(0, lastAs(d[:len(d)-1], whole))
	}
}

func timeWarping(c *call) {
	if len(c.rankIn(0, 2, 3)) == 3 {
		c.holds(0, 0, "one table at a time", dim.Number(1))
	}
	c.outDims(0, []dim.Dim{dim.Number(2), dim.Unknown()})
}

// tokenizer is the rule of Tokenizer. The last axis of the result has the number of tokens of the
// longest text. For an empty input the result is empty too and has the same rank.
func tokenizer(c *call) {
	d := c.rankIn(0, 1, 2)
	if d == nil {
		return
	}
	if slices.ContainsFunc(d, func(n dim.Dim) bool { return n.Is(0) }) {
		c.outDims(0, lastAs(d, dim.Number(0)))
		return
	}
	c.outDims(0, append(slices.Clone(d), dim.Unknown()))
}

func wordConv(c *call) {
	c.rankIn(0, 2)
	c.vector(2, 1, 0)
	c.agree(1, 3, 3, 1)
	c.roomFor(c.extent(1, 2), c.extent(0, 1))
	for axis, attribute := range map[int]string{0: "embedding_size", 2: "conv_window_size", 3: "char_embedding_size"} {
		if a, given := c.attr(attribute); given && a.Int() != -1 { // -1 means not given
			c.holds(1, axis, attribute, c.positive(attribute))
		}
	}
	c.outDims(0, []dim.Dim{c.extent(0, 0), c.extent(1, 0)})
}

func removePadding(c *call) {
	c.rankIn(0, 3)
	batch, length := c.agree(0, 0, 1, 0), c.extent(0, 1)
	c.outDims(0, []dim.Dim{dim.Unknown(), c.extent(0, 2)})
	c.outDims(1, []dim.Dim{batch, length})
	c.outDims(2, []dim.Dim{batch.Add(dim.Number(1))})
	c.outDims(3, numbers(1))
}

func restorePadding(c *call) {
	c.rankIn(0, 2)
	c.rankIn(1, 2)
	c.outDims(0, []dim.Dim{c.extent(1, 0), c.extent(1, 1), c.extent(0, 1)})
}
