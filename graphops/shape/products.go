package shape

import (
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// products has the rules of matrix products.
var products = family{
	"MatMul": matMul, "Gemm": gemm, "MatMulInteger": matMulInteger, "QLinearMatMul": qLinearMatMul,
}

func matMul(c *call) { c.outDims(0, c.matrixProduct(1)) }

func matMulInteger(c *call) {
	c.outTensor(0, tensor.I32, c.matrixProduct(1))
	c.lists(2, dim.Number(1)) // ONNX Runtime does not support one for each row
	c.perSlice(3, 1, -1)
}

func qLinearMatMul(c *call) {
	c.outTensor(0, c.elem(7), c.matrixProduct(3))
	for _, i := range []int{1, 2} {
		c.lists(i, dim.Number(1)) // ONNX Runtime does not support one for each row
		c.perSlice(i+3, 3, -1)
		c.lists(i+5, dim.Number(1))
	}
}

// perSlice demands that a scale or a zero point of rank 1 has one element, or one for each position
// of an axis of another input.
func (c *call) perSlice(i, j, axis int) {
	if d := c.dims(i); len(d) == 1 && len(c.dims(j)) > 1 {
		c.noteSpread(Source{d[0], i, 0}, c.extent(j, axis))
	}
}

// matrixProduct returns the shape of the product of two stacks of matrices, the first input and
// another one, as in numpy's matmul. It is nil if a rank is unknown.
func (c *call) matrixProduct(j int) []dim.Dim {
	a, b := c.dims(0), c.dims(j)
	if a == nil || b == nil {
		return nil
	}
	if len(a) == 0 || len(b) == 0 {
		c.problem(0, c.describe(0)+" and "+c.describe(j)+" should have at least one axis each")
		return nil
	}
	c.same(0, len(a)-1, j, max(len(b)-2, 0))
	out := c.stacked(a[:max(len(a)-2, 0)], j, b[:max(len(b)-2, 0)])
	if len(a) > 1 {
		out = append(out, a[len(a)-2])
	}
	if len(b) > 1 {
		out = append(out, b[len(b)-1])
	}
	return out
}

// stacked broadcasts the leading axes, those before the last two, of the first input and another
// one.
func (c *call) stacked(a []dim.Dim, j int, b []dim.Dim) []dim.Dim {
	rank := max(len(a), len(b))
	out := make([]dim.Dim, 0, rank+2)
	for axis := range rank {
		x, y := axis-rank+len(a), axis-rank+len(b)
		switch {
		case x < 0:
			out = append(out, b[y])
		case y < 0:
			out = append(out, a[x])
		default:
			out = append(out, c.shared(Source{a[x], 0, x}, Source{b[y], j, y}))
		}
	}
	return out
}

// shared returns the broadcast size of two axes.
func (c *call) shared(a, b Source) dim.Dim {
	out, ok := a.Size.Broadcast(b.Size)
	switch {
	case !ok:
		c.unbroadcast(a, b)
		return dim.Unknown()
	case !a.Size.Is(1) && !b.Size.Is(1):
		c.note(a, b, Broadcasts, "")
	}
	return out
}

func gemm(c *call) {
	a, b := c.dims(0), c.dims(1)
	if len(a) != 2 || len(b) != 2 {
		if a != nil && b != nil {
			c.problem(0, c.describe(0)+" and "+c.describe(1)+" should be matrices")
		}
		c.outDims(0, unknownDims(2))
		return
	}
	rows, inner, other, columns := 0, 1, 0, 1
	if c.attrInt("transA", 0) != 0 {
		rows, inner = inner, rows
	}
	if c.attrInt("transB", 0) != 0 {
		other, columns = columns, other
	}
	c.same(0, inner, 1, other)
	out := []dim.Dim{a[rows], b[columns]}
	c.outDims(0, out)
	c.spreadsTo(2, "the product", out)
}
