package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// quantizedOperators has the rules of com.microsoft's operators on quantized tensors, which have a
// scale and a zero point after each operand, and of conversions from and to quantized tensors.
var quantizedOperators = family{
	"QLinearAdd": quantizedOperands, "QLinearMul": quantizedOperands, "QLinearWhere": acrossInputs(0, 1, 4),
	"QLinearSigmoid": quantizedOperand, "QLinearLeakyRelu": quantizedOperand, "QLinearSoftmax": quantizedOperand,
	"QLinearConcat": quantizedConcat, "QLinearReduceMean": quantizedReduce, "ReduceSumInteger": quantizedReduce,
	"QLinearGlobalAveragePool": globalPool(byAttribute),
	"QuantizeLinear":           quantizeBlocked, "DequantizeLinear": quantizeBlocked, "QuantizeWithOrder": firstShape, "DequantizeWithOrder": dequantizeOrdered,
	"QuantizeBFP": quantizeBlocks, "DequantizeBFP": dequantizeBlocks, "GatherBlockQuantized": gatherBlocks,
}

// quantizeBlocked is the rule of QuantizeLinear and DequantizeLinear of com.microsoft. The result
// has the shape of the input. The axis only matters if there is more than one scale. Without a zero
// point the type is the default.
func quantizeBlocked(c *call) {
	e := tensor.Undefined
	if len(c.out) > 0 {
		e = c.out[0].Elem
	}
	if e == tensor.Undefined && !c.has(2) {
		e = tensor.U8
	}
	c.agreeOnAxis()
	c.outTensor(0, e, c.dims(0))
}

// agreeOnAxis requires one scale for each position of the axis, if there are several scales but
// not one for each block. The default axis is 1.
func (c *call) agreeOnAxis() {
	d := c.dims(0)
	if blocked := c.attrInt("block_size", 0) != 0; d == nil || blocked || c.rankIn(1, 0, 1) == nil || oneElement(c.dims(1)) {
		return
	}
	if _, given := c.attr("axis"); !given && len(d) < 2 {
		return
	}
	if axis, ok := c.axis(c.attrInt("axis", 1), len(d)); ok {
		c.spreads(c.axisSource(1, 0), c.axisSource(0, axis))
	}
}

// quantizedOperands is the rule of QLinearAdd and QLinearMul. Both operands are broadcast. Each has
// a scale and a zero point, which are scalars.
func quantizedOperands(c *call) {
	acrossInputs(0, 3)(c)
	for _, i := range []int{1, 2, 4, 5, 6, 7} {
		c.rankIn(i, 0)
	}
	for _, i := range []int{2, 5} {
		if !c.has(i) {
			c.problem(-1, fmt.Sprintf("the zero point of operand %d is missing", i/3))
		}
	}
}

// quantizedOperand is the rule of elementwise operators such as QLinearSigmoid, with one scale and
// one zero point for the input and for the output.
func quantizedOperand(c *call) {
	firstShape(c)
	for i := 1; i < 5; i++ {
		c.expectOne(i)
	}
}

func dequantizeOrdered(c *call) { c.outTensor(0, c.typeIn("to"), c.dims(0)) }

// quantizedConcat is the rule of QLinearConcat. It has three inputs for each operand, after two for
// the result.
func quantizedConcat(c *call) {
	var operands []int
	for i := 2; i < len(c.in); i += 3 {
		if c.dims(i) == nil {
			return
		}
		operands = append(operands, i)
	}
	if len(operands) == 0 {
		return
	}
	first := operands[0]
	out := slices.Clone(c.dims(first))
	at, ok := c.axis(c.attrInt("axis", 0), len(out))
	if !ok {
		return
	}
	for _, i := range operands[1:] {
		if c.rankIn(i, len(out)) == nil {
			return
		}
		for axis := range out {
			if axis != at {
				out[axis] = known(out[axis], c.agree(first, axis, i, axis))
			}
		}
		out[at] = out[at].Add(c.extent(i, at))
	}
	c.outDims(0, out)
}

// quantizedReduce is the rule of quantized reductions, which have their axes only as an attribute.
func quantizedReduce(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	list, _ := c.attrInts("axes")
	axes, ok := c.axes(list, len(d))
	if !ok {
		return
	}
	gone := map[int]bool{}
	for i := range d {
		gone[i] = len(axes) == 0 || slices.Contains(axes, i)
	}
	c.outDims(0, withoutAxes(d, gone, c.attrInt("keepdims", 1) != 0))
}

// quantizeBlocks is the rule of QuantizeBFP. It returns a row of bytes, and the shape and strides
// of the original.
func quantizeBlocks(c *call) {
	c.outDims(0, unknownDims(1))
	d := c.dims(0)
	if d == nil {
		c.outDims(1, unknownDims(1))
		c.outDims(2, unknownDims(1))
		return
	}
	elems := make([]elem, len(d))
	for i, n := range d {
		elems[i] = intElem(n)
	}
	rank := int64(len(d))
	c.outDims(1, numbers(rank))
	c.outElems(1, elems)
	c.outDims(2, numbers(rank))
}

func dequantizeBlocks(c *call) { c.outTensor(0, c.typeIn("dtype"), c.sizes(1)) }

// gatherBlocks is the rule of GatherBlockQuantized. It gathers from a table that may have several
// numbers of its last axis in one byte.
func gatherBlocks(c *call) {
	d, at := slices.Clone(c.dims(0)), c.dims(1)
	if len(d) == 0 || at == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("gather_axis", 0), len(d))
	if !ok {
		return
	}
	if bits := c.attrInt("bits", 4); c.elem(0) == tensor.U8 && (bits == 2 || bits == 4) {
		d[len(d)-1] = d[len(d)-1].Mul(dim.Number(8 / bits))
	}
	c.blockScales(d)
	c.outDims(0, joined(d[:axis], at, d[axis+1:]))
}

// blockScales demands that there is a scale for each block of a table, and a zero point for each
// scale, of which several may be in one byte.
func (c *call) blockScales(d []dim.Dim) {
	axis, ok := c.axis(c.attrInt("quantize_axis", 1), len(d))
	size := c.attrInt("block_size", 128)
	scales := c.dims(2)
	if !ok || size < 1 || len(scales) != len(d) {
		return
	}
	want := slices.Clone(d)
	want[axis] = want[axis].CeilDiv(dim.Number(size))
	c.expect(2, fmt.Sprintf("a scale for each block of %d along axis %d", size, axis), want...)
	zero := c.dims(3)
	if len(zero) != len(scales) {
		return
	}
	per := dim.Number(1)
	if bits := c.attrInt("bits", 4); c.elem(0) == tensor.U8 && (bits == 2 || bits == 4) {
		per = dim.Number(8 / bits)
	}
	c.whenLoading(func() {
		for i, n := range scales {
			if i == len(scales)-1 {
				n = n.CeilDiv(per)
			}
			c.note(Source{zero[i], 3, i}, Source{n, 2, i}, Equals, "")
		}
	})
}
