package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// generators has the rules of operators that create a tensor from attributes only, or from sizes.
var generators = family{
	"Constant": constant, "ConstantOfShape": constantOfShape, "Range": rangeOf, "EyeLike": eyeLike,
	"RandomNormal": random, "RandomUniform": random, "RandomNormalLike": randomLike, "RandomUniformLike": randomLike,
	"Bernoulli": randomLike, "Multinomial": multinomial,
	"BlackmanWindow": window, "HammingWindow": window, "HannWindow": window,
}

func constant(c *call) {
	for _, own := range c.ownAttributes() { // the first of several counts
		if a, ok := c.attr(own.Name()); ok && own.Name() != "sparse_value" && graphops.IsConstantValue(own.Name()) {
			c.constantOf(a)
			return
		}
	}
	if a, ok := c.attr("sparse_value"); ok && a.Sparse() != nil {
		c.constantOf(a)
	}
}

func (c *call) constantOf(a *graphops.Attribute) {
	if s := a.Sparse(); s != nil {
		c.outTensor(0, s.DType(), numbers(s.Dims()...))
		return
	}
	t, err := a.Dense("")
	if err != nil {
		c.problem(-1, err.Error())
		return
	}
	c.outTensor(0, t.DType(), numbers(t.Dims()...))
	c.outElems(0, elementsOf(t))
}

func constantOfShape(c *call) {
	value, elemType := numberElem(0), tensor.F32
	if a, ok := c.attr("value"); ok && a.Tensor() != nil {
		elemType = a.Tensor().DType()
		if d := a.Tensor().Dims(); len(d) != 1 || d[0] != 1 {
			c.problem(-1, fmt.Sprintf("value is of shape %v, expected a list of one element", d))
		}
		if value = unknownElem(); limitOf(elemType) > 0 {
			if list := elementsOf(a.Tensor()); len(list) == 1 {
				value = list[0]
			}
		}
	}
	c.expectShape(0)
	sizes := c.sizes(0)
	c.noneBelow0(0, sizes)
	c.outTensor(0, elemType, sizes)
	if n, ok := count(sizes); ok {
		c.outElems(0, slices.Repeat([]elem{value}, int(n)))
	}
}

func rangeOf(c *call) {
	c.outTensor(0, c.elem(0), unknownDims(1))
	for i := range 3 {
		if c.isConstant(i) && c.dims(i) != nil {
			c.rankIn(i, 0)
		}
	}
	start, limit, delta := c.elems(0), c.elems(1), c.elems(2)
	if len(start) != 1 || len(limit) != 1 || len(delta) != 1 {
		return
	}
	c.rangeFrom(start[0], limit[0], delta[0])
}

// rangeFrom sets the output to the numbers from start. Floating-point numbers are rounded at
// each step, so only exact fractions are traced.
func (c *call) rangeFrom(start, limit, delta elem) {
	if step, ok := delta.number(); ok && step == 0 {
		c.problem(2, "the step of the range is 0")
		return
	}
	n := rangeLength(limit.sub(start).as(c.elem(0)), delta)
	c.outTensor(0, c.elem(0), []dim.Dim{n})
	if size, ok := count([]dim.Dim{n}); ok && start.den > 0 && delta.den > 0 {
		out := make([]elem, size)
		for i := range out {
			out[i] = start.add(delta.mul(numberElem(int64(i)))).as(c.elem(0))
		}
		c.outElems(0, out)
	}
}

// rangeLength returns max(ceil(span/delta), 0).
func rangeLength(span, delta elem) dim.Dim {
	x, y, _, ok := both(span, delta)
	if !ok {
		return span.div(delta).ceil().size().Max(dim.Number(0))
	}
	lo, hi := y.Bounds()
	switch {
	case lo > 0:
		return x.CeilDiv(y).Max(dim.Number(0))
	case hi < 0:
		return x.Neg().CeilDiv(y.Neg()).Max(dim.Number(0))
	default:
		return dim.Unknown()
	}
}

// elemOr returns the element type in an attribute, or a default.
func (c *call) elemOr(attribute string, without tensor.DType) tensor.DType {
	return tensor.DType(c.attrInt(attribute, int64(without)))
}

func eyeLike(c *call) {
	c.rankIn(0, 2)
	c.outTensor(0, c.elemOr("dtype", c.elem(0)), c.dims(0))
}

func random(c *call) {
	list, _ := c.attrInts("shape")
	c.outTensor(0, c.elemOr("dtype", tensor.F32), numbers(list...))
}

func randomLike(c *call) { c.outTensor(0, c.elemOr("dtype", c.elem(0)), c.dims(0)) }

func multinomial(c *call) {
	dims := unknownDims(2)
	if d := c.rankIn(0, 2); d != nil {
		dims[0] = d[0]
	}
	dims[1] = dim.Number(c.attrInt("sample_size", 1))
	c.outTensor(0, c.elemOr("dtype", tensor.I32), dims)
}

func window(c *call) {
	n := dim.Unknown()
	if size := c.elems(0); len(size) == 1 {
		n = size[0].size()
	}
	if d := c.dims(0); len(d) > 0 {
		c.problem(0, fmt.Sprintf("%s should be a scalar", c.describe(0)))
	}
	c.outTensor(0, c.elemOr("output_datatype", tensor.F32), []dim.Dim{n})
}
