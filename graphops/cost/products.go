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

// linearModels has the formulas of operators that multiply by an attribute, with a coefficient for
// each feature and class.
var linearModels = family{"LinearClassifier": linear, "LinearRegressor": linear}

// known returns a if it is known, otherwise b. Both are the size of the same axis.
func known(a, b dim.Dim) dim.Dim {
	if a.Known() {
		return a
	}
	return b
}

// matMul returns the formula of a matrix product whose second factor is the input at position b.
// Each element of the output is a sum over the last axis of the first factor, which is the second
// to last axis, or the only one, of the second factor.
func matMul(b int) formula {
	return func(n node) dim.Dim {
		inner := axis(n.in(b), -2)
		if len(n.in(b)) == 1 {
			inner = axis(n.in(b), 0)
		}
		return elements(n.out(0)).Mul(known(axis(n.in(0), -1), inner))
	}
}

// fusedMatMul is the formula of products in which attributes tell which axis of the first factor is
// summed over.
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

// gemm is the formula of an M×K matrix times a K×N matrix, each of which may be stored transposed.
// Each element of the first matrix is used N times.
func gemm(n node) dim.Dim { return elements(n.in(0)).Mul(axis(n.out(0), -1)) }

// packedWeight is the formula of a product whose second factor is a K×N matrix of packed integers.
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

// rows returns the product of all sizes except the last: the number of vectors along the last axis.
func rows(dims []dim.Dim) dim.Dim {
	if len(dims) < 2 {
		return dim.Number(1)
	}
	return dim.Product(dims[:len(dims)-1]...)
}

// einsum is the formula of Einsum. For each combination of the labels' indices it multiplies all
// operands, which is one product less than there are operands.
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

// labelled records in sizes the size of each label of an operand. The axes of an ellipsis are
// counted from its end, as in broadcasting. ok is false if the operand does not match the shape.
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
