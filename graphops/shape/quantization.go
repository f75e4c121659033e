package shape

import (
	"fmt"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// quantization has the rules of conversions from floating-point numbers to small integers and back.
var quantization = family{
	"QuantizeLinear": quantize, "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamicQuantize,
}

func quantize(c *call) {
	to := c.elem(2)
	if !c.has(2) {
		to = tensor.U8
	}
	if said := c.elemOr("output_dtype", tensor.Undefined); said.Valid() {
		if to != said && c.has(2) && to != tensor.Undefined {
			c.problem(2, fmt.Sprintf("output_dtype is %s, but there is %s", said, c.describe(2)))
		}
		to = said
	}
	c.outTensor(0, to, c.dims(0))
	c.expectScales()
}

func dequantize(c *call) {
	to := c.elem(1)
	if c.since < 19 {
		to = tensor.F32
	}
	if said := c.elemOr("output_dtype", tensor.Undefined); said.Valid() {
		to = said
	}
	c.outTensor(0, to, c.dims(0))
	c.expectScales()
}

// expectScales requires the sizes of scales and zero points: one for all, one for each position
// of an axis, or one for each block of an axis.
func (c *call) expectScales() {
	scale := c.dims(1)
	if scale == nil {
		return
	}
	if zero := c.dims(2); !oneElement(scale) || !oneElement(zero) {
		c.expect(2, "of the same shape as the scales", scale...)
	}
	x := c.dims(0)
	blocked := c.attrInt("block_size", 0)
	perAxis := len(scale) == 1 && !scale[0].Is(1) && len(x) > 1
	if x == nil || blocked == 0 && !perAxis {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 1), len(x))
	switch {
	case !ok:
	case blocked < 0:
		c.problem(-1, fmt.Sprintf("block_size is %d, expected at least 1", blocked))
	case blocked > 0:
		want := append([]dim.Dim{}, x...)
		want[axis] = x[axis].CeilDiv(dim.Number(blocked))
		c.expect(1, "one for each block", want...)
	default:
		c.spreads(c.axisSource(1, 0), c.axisSource(0, axis))
	}
}

func dynamicQuantize(c *call) {
	firstShape(c)
	c.outDims(1, numbers())
	c.outDims(2, numbers())
}

// oneElement reports whether sizes are those of a scalar or of a vector with one element. A
// scale may have one form, and its zero point the other.
func oneElement(d []dim.Dim) bool {
	return d != nil && (len(d) == 0 || len(d) == 1 && d[0].Is(1))
}
