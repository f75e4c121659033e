package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// fusedProducts has the rules of com.microsoft's matrix products, with transpositions, activations
// and quantization.
var fusedProducts = family{
	"FusedMatMul": fusedMatMul, "FusedMatMulActivation": fusedMatMul, "TransposeMatMul": fusedMatMul, "SparseToDenseMatMul": fusedMatMul,
	"FusedGemm": gemm, "GemmFloat8": gemmFloat8, "QGemm": quantizedGemm, "GemmFastGelu": matMul,
	"MatMulInteger16": matMulInteger, "MatMulIntegerToFloat": scaledMatMul(3, 5, 6), "DynamicQuantizeMatMul": scaledMatMul(2, 3, 4), "QOrderedMatMul": orderedMatMul,
	"MatMulNBits": matMulNBits, "MatMulBnb4": matMulBnb4, "MatMulFpQ4": matMulFpQ4,
	"MatMulBlockQuantizedFp4Weight": blockQuantized(2), "MatMulBlockQuantizedFp8Weight": blockQuantized(1),
	"MatMulNBitsMlp": gatedProducts, "MatMulNBitsQkv": threeProducts, "CDist": distances,
}

// fusedMatMul is the rule of FusedMatMul. It may swap the last two axes of an operand, and before
// that move its first axis after the other batch axes.
func fusedMatMul(c *call) {
	a, okA := c.turned(0, "transA", "transBatchA")
	b, okB := c.turned(1, "transB", "transBatchB")
	if !okA || !okB {
		return
	}
	c.demand(a[len(a)-1], b[max(len(b)-2, 0)])
	stack := c.stacked(sizesIn(a[:max(len(a)-2, 0)]), 1, sizesIn(b[:max(len(b)-2, 0)]))
	if len(a) > 1 {
		stack = append(stack, a[len(a)-2].Size)
	}
	if len(b) > 1 {
		stack = append(stack, b[len(b)-1].Size)
	}
	c.outDims(0, stack)
}

// turned returns the axes of an operand in the order in which it is multiplied, after the swaps
// that the attributes swap and batch request. ok is false if its rank is unknown.
func (c *call) turned(i int, swap, batch string) (axes []Source, ok bool) {
	d := c.dims(i)
	if d == nil {
		return nil, false
	}
	if len(d) == 0 {
		c.problem(i, c.describe(i)+" should have at least one axis")
		return nil, false
	}
	for axis, n := range d {
		axes = append(axes, Source{n, i, axis})
	}
	n := len(axes)
	if n > 2 && c.attrInt(batch, 0) != 0 {
		axes = slices.Concat(axes[1:n-1], axes[:1], axes[n-1:])
	}
	if n > 1 && c.attrInt(swap, 0) != 0 {
		axes[n-2], axes[n-1] = axes[n-1], axes[n-2]
	}
	return axes, true
}

func sizesIn(list []Source) []dim.Dim {
	out := make([]dim.Dim, len(list))
	for i, s := range list {
		out[i] = s.Size
	}
	return out
}

func gemmFloat8(c *call) {
	gemm(c)
	if len(c.out) > 0 {
		c.outTensor(0, c.typeIn("dtype"), c.out[0].Dims)
	}
}

// typeIn returns the element type in an attribute, f32 by default.
func (c *call) typeIn(attribute string) tensor.DType {
	if e := c.elemOr(attribute, tensor.F32); e.Valid() {
		return e
	}
	return tensor.Undefined
}

// quantizedGemm is the rule of QGemm. It returns floating-point numbers unless it has a scale and a
// zero point for the result.
func quantizedGemm(c *call) {
	e := tensor.F32
	if c.has(8) {
		e = c.elem(8)
	}
	c.rankIn(0, 2)
	c.rankIn(3, 2)
	i, j := 0, 0
	if c.attrInt("transA", 0) != 0 {
		i = 1
	}
	if c.attrInt("transB", 0) != 0 {
		j = 1
	}
	c.agree(0, 1-i, 3, j)
	c.perSlice(4, 3, 1-j)
	c.perSlice(5, 3, 1-j)
	c.spreadsTo(6, "the product", []dim.Dim{c.extent(0, i), c.extent(3, 1-j)})
	c.outTensor(0, e, []dim.Dim{c.extent(0, i), c.extent(3, 1-j)})
}

// scaledMatMul returns the rule of a matrix product whose second operand has a scale and a zero
// point, one for all columns or one for each, and a bias. The arguments are indices of inputs.
func scaledMatMul(scale, zero, bias int) rule {
	return func(c *call) {
		matMul(c)
		c.perSlice(scale, 1, -1)
		c.perSlice(zero, 1, -1)
		if len(c.dims(bias)) == 1 {
			c.agree(1, -1, bias, 0)
		}
	}
}

func orderedMatMul(c *call) { c.outDims(0, c.matrixProduct(2)) }

// packedRows returns the shape of the product of rows of k numbers with a matrix with n columns.
func (c *call) packedRows(told string, k, n dim.Dim) []dim.Dim {
	if d := c.dims(0); d != nil && len(d) == 0 {
		c.problem(0, c.describe(0)+" should have at least one axis")
	}
	c.holds(0, -1, told, k)
	return lastAs(c.dims(0), n)
}

func matMulNBits(c *call) {
	n := c.positive("N")
	k := c.positive("K")
	if c.attrInt("weight_prepacked", 0) == 0 {
		c.packedBlocks(k, n)
	}
	c.outDims(0, c.packedRows("K", k, n))
}

// packedBlocks requires blocks of the columns of a matrix, with a few bits for each number and
// one scale for each block. Scales, and zero points that are not packed, may have one axis or two.
func (c *call) packedBlocks(k, n dim.Dim) {
	bits, size := c.attrInt("bits", 4), c.attrInt("block_size", 0)
	if bits < 1 || bits > 8 || size < 1 || size > 1<<20 {
		return
	}
	blocks := k.CeilDiv(dim.Number(size))
	c.expect(1, "blocks of packed numbers", n, blocks, dim.Number((size*bits+7)/8))
	c.eachBlock(2, "a scale for each block", n, blocks)
	packed := blocks
	if c.elem(3) == tensor.U8 {
		packed = blocks.Mul(dim.Number(bits)).CeilDiv(dim.Number(8))
	}
	c.eachBlock(3, "a zero point for each block", n, packed)
}

// eachBlock requires rows of n, either as two axes or as one.
func (c *call) eachBlock(i int, form string, rows, n dim.Dim) {
	if len(c.dims(i)) == 2 {
		c.expect(i, form, rows, n)
		return
	}
	c.expect(i, form, rows.Mul(n))
}

func matMulBnb4(c *call) {
	k, n := c.positive("K"), c.positive("N")
	if c.attrInt("transB", 1) == 0 {
		c.outDims(0, c.packedRows("N", n, k))
		return
	}
	c.outDims(0, c.packedRows("K", k, n))
}

// matMulFpQ4 is the rule of MatMulFpQ4. The matrix is one row of bytes, so its shape is another
// input.
func matMulFpQ4(c *call) {
	k, n := dim.Unknown(), dim.Unknown()
	if sizes := c.sizes(2); len(sizes) == 2 {
		k, n = sizes[0], sizes[1]
	} else if sizes != nil {
		c.problem(2, fmt.Sprintf("%s has %d elements, expected the 2 sizes of a matrix", c.describe(2), len(sizes)))
	}
	c.outDims(0, c.packedRows("B_shape", k, n))
}

// blockQuantized returns the rule of a product with a transposed matrix, each element of which
// stores perElement numbers of a row.
func blockQuantized(perElement int64) rule {
	return func(c *call) {
		c.rankIn(1, 2)
		k := c.extent(1, 1).Mul(dim.Number(perElement))
		c.outDims(0, c.packedRows("the weights", k, c.extent(1, 0)))
	}
}

func gatedProducts(c *call) {
	c.outDims(0, c.packedRows("K", c.positive("K"), c.positive("N")))
	c.outDims(1, c.dims(0))
}

func threeProducts(c *call) {
	k, kv := c.positive("K"), c.positive("Nkv")
	c.outDims(0, c.packedRows("K", k, c.positive("Nq")))
	c.outDims(1, lastAs(c.dims(0), kv))
	c.outDims(2, lastAs(c.dims(0), kv))
	c.outDims(3, c.dims(0))
}

func distances(c *call) {
	c.rankIn(0, 2)
	c.rankIn(1, 2)
	c.agree(0, 1, 1, 1)
	c.outDims(0, []dim.Dim{c.extent(0, 0), c.extent(1, 0)})
}
