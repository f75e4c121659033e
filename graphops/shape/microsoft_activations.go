package shape

import (
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// fusedElementwise has the rules of com.microsoft's elementwise operators, including those that are
// fused with a bias or a residual.
var fusedElementwise = family{
	"Gelu": firstShape, "QuickGelu": firstShape, "SampleOp": firstShape, "Inverse": inverse, "Trilu": firstShape,
	"QOrderedGelu": firstShape, "BiasGelu": biased(0, 1), "FastGelu": biased(0, 1), "BiasSplitGelu": biasSplit,
	"BiasAdd": biasAdd, "BiasSoftmax": biasSoftmax, "GatedAdd": gatedAdd, "GatedRMSNorm": copies(0, 0),
	"BiasDropout": copies(0, 0, 1, 0), "BitmaskDropout": bitmaskDropout, "BitmaskBiasDropout": bitmaskDropout,
	"ComplexMul": spread, "ComplexMulConj": spread, "MulInteger": acrossInputs(0, 2), "MurmurHash3": murmurHash,
	"MoE": mixture, "QMoE": mixture, "EngramGate": copies(0, 0), "LinearAttentionGate": copies(0, 0, 1, 3),
	"NGramRepeatBlock": repeatBlock, "IsAllFinite": isAllFinite,
}

// biased returns the rule of an operator whose result has the shape of an input. A bias, if given,
// has the length of its last axis.
func biased(input, bias int) rule {
	return func(c *call) {
		c.vector(bias, input, -1)
		c.outDims(0, c.dims(input))
	}
}

// acrossInputs returns the rule of an elementwise operator on some of its inputs, which are
// broadcast. inputs are their indices.
func acrossInputs(inputs ...int) rule {
	return func(c *call) { c.outDims(0, c.broadcast(inputs...)) }
}

func biasSplit(c *call) {
	d := c.rankIn(0, 3)
	c.vector(1, 0, 2)
	c.outDims(0, lastAs(d, c.portion(0, c.extent(0, -1), dim.Number(2))))
}

func biasAdd(c *call) {
	d := c.rankIn(0, 3)
	c.vector(1, 0, 2)
	if len(c.rankIn(2, 3)) == 3 && d != nil {
		for axis := range d {
			c.agree(0, axis, 2, axis)
		}
	}
	firstShape(c)
}

func biasSoftmax(c *call) {
	if d := c.dims(0); d != nil {
		c.axis(c.attrInt("axis", 1), len(d))
	}
	firstShape(c)
}

func gatedAdd(c *call) {
	if d := c.dims(0); d != nil && c.rankIn(1, len(d)) != nil {
		for axis := range d {
			c.agree(0, axis, 1, axis)
		}
	}
	c.holds(2, -1, "one gate for each row", dim.Number(1))
	firstShape(c)
}

// bitmaskDropout is the rule of BitmaskDropout, whose mask has 32 elements in each number.
func bitmaskDropout(c *call) {
	firstShape(c)
	if d := c.dims(0); d != nil {
		c.outDims(1, []dim.Dim{dim.Product(d...).CeilDiv(dim.Number(32))})
	}
}

// murmurHash is the rule of MurmurHash3. It returns signed numbers unless positive is 1.
func murmurHash(c *call) {
	e := tensor.I32
	if c.attrInt("positive", 1) == 1 {
		e = tensor.U32
	}
	c.outTensor(0, e, c.dims(0))
}

func mixture(c *call) {
	d := c.rankIn(0, 2, 3)
	if p := c.rankIn(1, 2); p != nil && len(d) > 1 {
		c.demand(Source{dim.Product(d[:len(d)-1]...), 0, -1}, c.axisSource(1, 0))
	}
	c.experts()
	c.outDims(0, slices.Clone(d))
}

// experts demands that the experts of a mixture return rows of the original width. In the weights
// that project back to this width, it is the first axis after that of the experts.
func (c *call) experts() {
	back := 4
	if c.node.OpType() == "QMoE" {
		back = 5
	}
	if len(c.dims(back)) == 3 {
		c.note(c.axisSource(0, -1), c.axisSource(back, 1), Equals, "")
	}
	for _, i := range []int{2, back} {
		if c.has(i) {
			c.agree(1, 1, i, 0)
		}
	}
}

func repeatBlock(c *call) {
	c.rankIn(0, 2)
	c.rankIn(1, 2)
	c.agree(0, 0, 1, 0)
	c.outDims(0, c.dims(1))
}

func isAllFinite(c *call) { c.outTensor(0, tensor.Bool, numbers()) }
