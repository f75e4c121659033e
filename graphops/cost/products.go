package cost

import (
	"strings"

	"lathe/graphops/dim"
)

var products = family{
	"MatMul": matMul(1), "MatMulInteger": matMul(1), "QLinearMatMul": matMul(3), "Gemm": gemm, "Einsum": einsum,
}

var productsMicrosoft = family{
	"MatMulInteger16": matMul(1), "MatMulIntegerToFloat": matMul(1), "DynamicQuantizeMatMul": matMul(1),
	"QOrderedMatMul": matMul(2), "GemmFastGelu": matMul(1),
	"FusedMatMul": fusedMatMul, "FusedMatMulActivation": fusedMatMul, "TransposeMatMul": fusedMatMul,
	"FusedGemm": gemm, "QGemm": gemm, "GemmFloat8": gemm,
	"MatMulNBits": packedWeight, "MatMulBnb4": packedWeight,
}

// linearModels are products with coefficients in an attribute, one for each feature and class.
var linearModels = family{"LinearClassifier": linear, "LinearRegressor": linear}

// known returns one of two sizes that should be equal, preferring one that is known.
func known(a, b dim.Dim) dim.Dim {
	if a.Known() {
		return a
	}
	return b
}

// matMul is a product of stacks of matrices. The axis that is summed over is the last one of the
// first input, and the second to last, or the only one, of the other.
func matMul(b int) formula {
	return func(n node) dim.Dim {
		inner := axis(n.in(b), -2)
		if len(n.in(b)) == 1 {
			inner = axis(n.in(b), 0)
		}
		return elements(n.out(0)).Mul(known(axis(n.in(0), -1), inner))
	}
}

// fusedMatMul can have its first matrices transposed, or with the row axis in front of the stack.
func fusedMatMul(n node) dim.Dim {
	a := n.in(0)
	inner := axis(a, -1)
	if n.int("transA", 0) != 0 && len(a) > 1 {
		inner = axis(a, -2)
		if n.int("transBatchA", 0) != 0 {
			inner = axis(a, 0)
		}
	}
	return elements(n.out(0)).Mul(inner)
}

// gemm is M×K times K×N, either of which may be transposed: each element of the first factor is
// used for each of N columns.
func gemm(n node) dim.Dim { return elements(n.in(0)).Mul(axis(n.out(0), -1)) }

// packedWeight is a product with a K×N matrix that is stored in blocks.
func packedWeight(n node) dim.Dim {
	return elements(n.out(0)).Mul(known(axis(n.in(0), -1), dim.Number(n.int("K", 0))))
}

func linear(n node) dim.Dim {
	a, ok := n.Attribute("coefficients")
	x := n.in(0)
	if !ok || x == nil {
		return dim.Unknown()
	}
	if _, large := a.Deferred(); large { // not held in memory, but its size is known from shapes
		return elements(x).Mul(axis(n.out(len(n.Out)-1), -1))
	}
	return rows(x).Mul(dim.Number(int64(len(a.Floats()))))
}

// rows returns the number of vectors along the last axis.
func rows(dims []dim.Dim) dim.Dim {
	if len(dims) < 2 {
		return dim.Number(1)
	}
	return dim.Product(dims[:len(dims)-1]...)
}

// einsum multiplies all operands for each combination of labels. A single operand is only summed or
// transposed.
func einsum(n node) dim.Dim {
	a, ok := n.Attribute("equation")
	if !ok {
		return dim.Unknown()
	}
	terms, _, _ := strings.Cut(strings.ReplaceAll(a.Text(), " ", ""), "->")
	operands := strings.Split(terms, ",")
	if len(operands) != len(n.In) {
		return dim.Unknown()
	}
	if len(operands) == 1 {
		return dim.Number(0)
	}
	sizes := map[string]dim.Dim{}
	for i, operand := range operands {
		if !labelled(sizes, operand, n.in(i)) {
			return dim.Unknown()
		}
	}
	all := dim.Number(int64(len(operands) - 1))
	for _, size := range sizes {
		all = all.Mul(size)
	}
	return all
}

// labelled records the sizes of an operand's labels. The axes of an ellipsis are counted from its
// end, as in broadcasting. ok is false if the operand and the shape do not match.
func labelled(sizes map[string]dim.Dim, operand string, dims []dim.Dim) (ok bool) {
	before, after, dots := strings.Cut(operand, "...")
	rest := len(dims) - len(before) - len(after)
	if dims == nil || rest < 0 || rest > 0 && !dots {
		return false
	}
	note := func(label string, size dim.Dim) {
		if old, twice := sizes[label]; twice {
			size, ok = old.Broadcast(size)
		}
		sizes[label] = size
	}
	ok = true
	for i := range before {
		note(before[i:i+1], dims[i])
	}
	for i := range rest {
		note(strings.Repeat(".", rest-i), dims[len(before)+i])
	}
	for i := range after {
		note(after[i:i+1], dims[len(before)+rest+i])
	}
	return ok
}
