package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// fusedWindows are convolutions and pools that are fused, quantized or have their
// channels last.
var fusedWindows = family{
	"FusedConv":     convolution{weights: 1}.rule,
	"NhwcConv":      convolution{weights: 1, last: always, hidden: true}.rule,
	"NhwcFusedConv": convolution{weights: 1, last: always}.rule,
	"QLinearConv":   convolution{weights: 3, last: byAttribute}.rule,
	"NhwcMaxPool":   poolRule(always), "MaxpoolWithMask": poolRule(never), "QLinearAveragePool": poolRule(byAttribute),
	"ConvTransposeWithDynamicPads": transposedWithPads,
}

// blocked are the operators of the layout that has channels in blocks. How long a
// block is depends on the machine.
var blocked = family{
	"Conv": convolution{weights: 1, blocked: true}.rule, "MaxPool": poolRule(never), "AveragePool": poolRule(never),
	"GlobalMaxPool": globalPoolRule(false), "GlobalAveragePool": globalPoolRule(false),
	"ReorderInput": reorderInput, "ReorderOutput": reorderOutput, "Upsample": upsampleBlocked,
}

// channelsLast are the standard's operators in the layout that has channels last.
var channelsLast = family{
	"Conv": convolution{weights: 1, last: always}.rule, "QLinearConv": convolution{weights: 3, last: always}.rule,
	"MaxPool": poolRule(always), "AveragePool": poolRule(always), "LpPool": poolRule(always), "QLinearAveragePool": poolRule(always),
	"GlobalMaxPool": globalPoolRule(true), "GlobalAveragePool": globalPoolRule(true), "GlobalLpPool": globalPoolRule(true),
	"BatchNormalization": copies(0, 0, 1, 3, 2, 4, 3, 3, 4, 4), "InstanceNormalization": firstShape, "LRN": firstShape,
	"DepthToSpace": blocksLast(true), "SpaceToDepth": blocksLast(false), "GridSample": gridSampleLast,
}

func always(*call) bool { return true }
func never(*call) bool  { return false }
func byAttribute(c *call) bool {
	return c.attrInt("channels_last", 0) != 0
}

// layout is where the channels of an image are.
type layout struct{ last bool }

// parts are the batch, the channels and the plane of an image.
func (l layout) parts(d []dim.Dim) (batch, channels dim.Dim, plane []dim.Dim) {
	if l.last {
		return d[0], d[len(d)-1], d[1 : len(d)-1]
	}
	return d[0], d[1], d[2:]
}

func (l layout) image(batch, channels dim.Dim, plane []dim.Dim) []dim.Dim {
	if l.last {
		return slices.Concat([]dim.Dim{batch}, plane, []dim.Dim{channels})
	}
	return slices.Concat([]dim.Dim{batch, channels}, plane)
}

// imageIn is input 0 where it has the rank of an image.
func (c *call) imageIn() []dim.Dim {
	d := c.dims(0)
	if d != nil && len(d) < 3 {
		c.problem(0, c.describe(0)+" should have a batch, channels and at least one more axis")
		return nil
	}
	return d
}

// convolution is a convolution with the position of its weights and its layout.
type convolution struct {
	weights int
	last    func(*call) bool
	hidden  bool // the order of the axes of the weights is the execution provider's
	blocked bool // the channels of the input are not those of the model
}

func (x convolution) rule(c *call) {
	l := layout{x.last != nil && x.last(c)}
	d, w := c.imageIn(), c.dims(x.weights)
	if d == nil {
		if w != nil {
			c.outDims(0, unknownDims(len(w)))
		}
		return
	}
	if w != nil && c.rankIn(x.weights, len(d)) == nil {
		return
	}
	batch, channels, plane := l.parts(d)
	var kernel []dim.Dim
	if w != nil && !x.hidden {
		kernel = w[2:]
		if group := c.attrInt("group", 1); !x.blocked && group > 0 {
			c.demand(Source{channels, 0, c.channelAxis(l)}, Source{w[1].Mul(dim.Number(group)), x.weights, -1})
		}
	}
	c.outDims(0, l.image(batch, c.extent(x.weights, 0), c.slide(plane, kernel)))
}

func (c *call) channelAxis(l layout) int {
	if l.last {
		return len(c.dims(0)) - 1
	}
	return 1
}

// slide is the plane that windows make of a plane; kernel, where it is not nil, stands
// for an attribute that is not there.
func (c *call) slide(plane, kernel []dim.Dim) []dim.Dim {
	n := len(plane)
	if list, ok := c.attrInts("kernel_shape"); ok {
		kernel = numbers(list...)
	}
	if kernel == nil {
		kernel = unknownDims(n)
	}
	strides, dilations := c.eachAxis("strides", n), c.eachAxis("dilations", n)
	pads, ok := c.attrInts("pads")
	if !ok || c.attrText("auto_pad", "NOTSET") == "VALID" {
		pads = make([]int64, 2*n)
	}
	if len(kernel) != n || strides == nil || dilations == nil || len(pads) != 2*n {
		c.problem(0, fmt.Sprintf("%d axes of %s have %d sizes of a kernel, %d pads", n, c.describe(0), len(kernel), len(pads)))
		return unknownDims(n)
	}
	out := make([]dim.Dim, n)
	for i, size := range plane {
		one := dim.Number(1)
		span := kernel[i].Sub(one).Mul(dim.Number(dilations[i])).Add(one)
		out[i] = c.slideAxis(size, span, strides[i], dim.Number(pads[i]), dim.Number(pads[i+n]))
	}
	return out
}

// eachAxis is an attribute of one positive number for each of n axes, 1 without it;
// nil, which is a problem, where it is something else.
func (c *call) eachAxis(name string, n int) []int64 {
	list, ok := c.attrInts(name)
	if !ok {
		return slices.Repeat([]int64{1}, n)
	}
	if len(list) != n || slices.ContainsFunc(list, func(x int64) bool { return x < 1 }) {
		c.problem(-1, fmt.Sprintf("%s is %v, expected %d positive numbers", name, list, n))
		return nil
	}
	return list
}

// slideAxis is how many windows of a span fit on an axis. With ceil_mode one more may
// reach beyond the end, if it does not start there.
func (c *call) slideAxis(size, span dim.Dim, stride int64, before, behind dim.Dim) dim.Dim {
	one, by := dim.Number(1), dim.Number(stride)
	switch c.attrText("auto_pad", "NOTSET") {
	case "SAME_UPPER", "SAME_LOWER":
		return size.CeilDiv(by)
	}
	room := size.Add(before).Add(behind).Sub(span)
	if c.attrInt("ceil_mode", 0) == 0 {
		return room.FloorDiv(by).Add(one)
	}
	starts := size.Add(before).Sub(one).FloorDiv(by)
	return room.CeilDiv(by).Min(starts).Add(one)
}

func poolRule(last func(*call) bool) rule {
	return func(c *call) {
		d := c.imageIn()
		if d == nil {
			return
		}
		l := layout{last(c)}
		batch, channels, plane := l.parts(d)
		out := l.image(batch, channels, c.slide(plane, nil))
		c.outDims(0, out)
		c.outDims(1, out)
	}
}

func globalPoolRule(last bool) rule {
	return func(c *call) { c.globalPool(last) }
}

// globalPool makes one element of each plane.
func (c *call) globalPool(last bool) {
	d := c.imageIn()
	if d == nil {
		return
	}
	l := layout{last}
	batch, channels, plane := l.parts(d)
	ones := slices.Repeat([]dim.Dim{dim.Number(1)}, len(plane))
	c.outDims(0, l.image(batch, channels, ones))
}

// transposedWithPads has its pads as data.
func transposedWithPads(c *call) {
	d, w := c.imageIn(), c.dims(1)
	if d == nil || w == nil || c.rankIn(1, len(d)) == nil {
		return
	}
	batch, channels, plane := layout{}.parts(d)
	c.demand(Source{channels, 0, 1}, Source{w[0], 1, 0})
	maps := w[1].Mul(dim.Number(c.attrInt("group", 1)))
	c.outDims(0, layout{}.image(batch, maps, c.spreadOut(plane, w[2:])))
}

// spreadOut is the plane that a transposed convolution makes of a plane.
func (c *call) spreadOut(plane, kernel []dim.Dim) []dim.Dim {
	n := len(plane)
	if list, ok := c.attrInts("kernel_shape"); ok {
		kernel = numbers(list...)
	}
	strides, dilations, pads := c.eachAxis("strides", n), c.eachAxis("dilations", n), c.sizes(2)
	more, ok := c.attrInts("output_padding")
	if !ok {
		more = make([]int64, n)
	}
	if len(kernel) != n || strides == nil || dilations == nil || len(more) != n || len(pads) != 2*n {
		return unknownDims(n)
	}
	same := c.attrText("auto_pad", "NOTSET") != "NOTSET"
	out := make([]dim.Dim, n)
	for i, size := range plane {
		if out[i] = dim.Unknown(); same {
			continue
		}
		one := dim.Number(1)
		span := kernel[i].Sub(one).Mul(dim.Number(dilations[i])).Add(one)
		out[i] = size.Sub(one).Mul(dim.Number(strides[i])).Add(span).Add(dim.Number(more[i])).Sub(pads[i]).Sub(pads[i+n])
	}
	return out
}
