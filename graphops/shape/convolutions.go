package shape

import (
	"fmt"

	"lathe/graphops/dim"
)

// convolutions has the rules of operators that slide a kernel of weights over images.
var convolutions = family{
	"Conv": convolution{weights: 1, bias: 2}.rule, "ConvInteger": convolution{weights: 1}.rule, "QLinearConv": convolution{weights: 3, bias: 8}.rule,
	"DeformConv": deformConv, "ConvTranspose": convTranspose, "Col2Im": columnsToImage,
	"CausalConvWithState": causalConv,
}

// convolution is a convolution of input 0, with the indices of its weights and bias, and its
// layout.
type convolution struct {
	weights int
	bias    int // 0 if it is not checked
	last    func(*call) bool
	hidden  bool // the order of the weights' axes depends on the execution provider
	blocked bool // the channels of the input are not those of the model
}

func (x convolution) rule(c *call) {
	l := layout{x.last != nil && x.last(c)}
	kernel, ok := c.kernel(x.weights, x.hidden)
	if !ok {
		return
	}
	if d, w := c.dims(0), c.dims(x.weights); d != nil && w != nil && !x.blocked && !x.hidden {
		at, groups := l.channelAxis(len(d)), c.channelGroups()
		c.demand(Source{d[at], 0, at}, Source{w[1].Mul(groups), x.weights, -1})
		c.portion(x.weights, w[0], groups)
	}
	if x.bias > 0 {
		c.vector(x.bias, x.weights, 0)
	}
	if x.weights == 3 {
		c.quantizedBy()
	}
	c.slide(l, c.extent(x.weights, 0), kernel)
}

// quantizedBy demands that a quantized convolution has one scale and one zero point for its input
// and its output, and for the weights one for all or one for each output channel.
func (c *call) quantizedBy() {
	for _, i := range []int{1, 2} {
		c.lists(i, dim.Number(1))
		c.perSlice(i+3, 3, 0)
		c.lists(i+5, dim.Number(1))
	}
}

// channelGroups returns the number of groups of channels.
func (c *call) channelGroups() dim.Dim {
	if n := c.attrInt("group", 1); n < 1 {
		c.problem(-1, fmt.Sprintf("group is %d, expected at least 1", n))
		return dim.Unknown()
	}
	return dim.Number(c.attrInt("group", 1))
}

// kernel returns the sizes of a kernel: the last axes of the weights, if weights is not 0, which
// must agree with kernel_shape. ok is false if the rank is unknown, or differs from that of the
// image, which is a problem.
func (c *call) kernel(weights int, hidden bool) (sizes []dim.Dim, ok bool) {
	d, ok := c.image(0)
	list, _ := c.attrInts("kernel_shape")
	n := len(list)
	if d != nil {
		n = len(d) - 2
	}
	var w []dim.Dim
	if ok && weights > 0 {
		if w, ok = c.image(weights); w != nil {
			ok, n = d == nil || c.rankIn(weights, len(d)) != nil, len(w)-2
		}
	}
	if !ok || n < 1 {
		return nil, false
	}
	if sizes = unknownDims(n); w != nil && !hidden {
		sizes = w[2:]
	}
	if given, ok := c.perAxis("kernel_shape", n, 1); ok && len(list) > 0 {
		return c.stated(sizes, given), true
	}
	return sizes, true
}

// stated returns the sizes of weights that kernel_shape has too.
func (c *call) stated(sizes []dim.Dim, given []int64) []dim.Dim {
	for i, n := range given {
		c.note(Source{sizes[i], -1, -1}, Source{dim.Number(n), -1, -1}, Equals, "")
		if dim.Apart(sizes[i], dim.Number(n)) {
			c.problem(-1, fmt.Sprintf("kernel_shape is %v, but the weights have kernels of shape %s", given, text(sizes)))
			return sizes
		}
	}
	return numbers(given...)
}

// slide sets the output to one element in each channel for each position of a kernel on input 0.
func (c *call) slide(l layout, channels dim.Dim, kernel []dim.Dim) {
	d := c.dims(0)
	w, ok := c.windows(kernel)
	if d == nil {
		c.outDims(0, l.image(dim.Unknown(), channels, unknownDims(len(kernel))))
		return
	}
	batch, _, plane := l.parts(d)
	if !ok {
		c.outDims(0, l.image(batch, channels, unknownDims(len(kernel))))
		return
	}
	for i := range kernel {
		c.windowFits(w, i, plane[i])
	}
	c.outDims(0, l.image(batch, channels, w.places(plane)))
}

// windowFits demands that a window fits into an axis of a plane with its padding.
func (c *call) windowFits(w windows, axis int, n dim.Dim) {
	if w.same() {
		return
	}
	pads := w.before[axis].Add(w.after[axis])
	need, number := w.least(axis).Sub(pads).Number()
	if lo, _ := n.Bounds(); number && lo >= need {
		return // most windows fit into the padding alone
	}
	c.roomFor(w.least(axis), n.Add(pads))
}

func convTranspose(c *call) {
	transposed(c, func(*windows) bool { return true })
	if c.has(1) && c.dims(1) != nil && c.has(2) && c.rankIn(2, 1) != nil {
		c.holds(2, 0, "the channels of the weights", c.extent(1, 1).Mul(c.channelGroups()))
	}
}

// transposed infers the output of a transposed convolution. complete sets the fields of its windows
// that the attributes do not determine.
func transposed(c *call, complete func(*windows) bool) {
	kernel, ok := c.kernel(1, false)
	if !ok {
		return
	}
	c.agree(0, 1, 1, 0)
	w, ok := c.windows(kernel)
	plane := unknownDims(len(kernel))
	if ok && complete(&w) {
		plane = c.transposedPlane(w)
	}
	c.outDims(0, layout{}.image(c.extent(0, 0), c.extent(1, 1).Mul(c.channelGroups()), plane))
}

// transposedPlane returns the sizes of a transposed convolution's result: output_shape if it is
// set, whatever the pads are, and otherwise the plane that the windows cover.
func (c *call) transposedPlane(w windows) []dim.Dim {
	n, d := len(w.kernel), c.dims(0)
	if list, _ := c.attrInts("output_shape"); len(list) > 0 {
		if sizes, ok := c.perAxis("output_shape", n, 1); ok {
			c.reaches(w, numbers(sizes...))
			return numbers(sizes...)
		}
		return unknownDims(n)
	}
	more, ok := c.perAxis("output_padding", n, 0)
	if !ok || d == nil {
		return unknownDims(n)
	}
	out := w.covered(d[2:], more)
	for _, size := range out {
		c.atLeast(Source{size, 0, -1}, dim.Number(1), somethingLeft)
	}
	return out
}

// reaches demands that an input has one element for each position of a window in an output of the
// given sizes.
func (c *call) reaches(w windows, sizes []dim.Dim) {
	d := c.dims(0)
	for i := range sizes {
		if d != nil && !w.same() {
			places := sizes[i].Sub(w.reach(i)).FloorDiv(dim.Number(w.strides[i])).Add(dim.Number(1))
			c.atLeast(Source{d[i+2], 0, i + 2}, places, "output_shape has %s positions for the kernel; the input has %s elements")
		}
	}
}

// deformConv is the rule of DeformConv, a convolution that moves each element of the kernel by an
// offset along each axis, and may multiply it by a mask.
func deformConv(c *call) {
	convolution{weights: 1, bias: 3}.rule(c)
	w := c.dims(1)
	if len(c.out) == 0 || len(c.out[0].Dims) < 3 || len(w) < 3 {
		return
	}
	out := c.out[0].Dims
	taps := dim.Number(c.attrInt("offset_group", 1)).Mul(dim.Product(w[2:]...))
	offsets := taps.Mul(dim.Number(int64(len(out) - 2)))
	c.expect(2, "offsets for each place", layout{}.image(out[0], offsets, out[2:])...)
	c.expect(4, "a mask for each place", layout{}.image(out[0], taps, out[2:])...)
}

// columnsToImage is the rule of Col2Im. It combines columns, one for each position of a block, into
// an image.
func columnsToImage(c *call) {
	plane, block := c.sizes(1), c.sizes(2)
	d := c.rankIn(0, 3)
	if plane == nil {
		return
	}
	channels := dim.Unknown()
	switch {
	case d == nil || block == nil:
	case len(block) != len(plane):
		c.problem(2, fmt.Sprintf("%s should have one element for each of the %d axes of the image", c.describe(2), len(plane)))
	default:
		channels = c.portion(0, d[1], dim.Product(block...))
		if w, ok := c.windows(block); ok {
			c.demand(Source{d[2], 0, 2}, Source{dim.Product(w.places(plane)...), 1, -1})
		}
	}
	c.outDims(0, layout{}.image(c.extent(0, 0), channels, plane))
}
