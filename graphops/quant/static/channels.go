package static

import (
	"slices"

	"lathe/graphops"
)

// oneScale are operators whose counterparts on integers, which runtimes make of pairs
// around them, take one scale for each value.
var oneScale = []string{
	"Add", "Mul", "Where", "Concat", "Relu", "Clip", "LeakyRelu", "Sigmoid", "Softmax", "AveragePool", "GlobalAveragePool", "MaxPool", "Pad", "ArgMax",
}

// factors are operators whose first input is a factor with one scale.
var factors = []string{"Conv", "ConvTranspose", "Gemm", "MatMul"}

// takesChannels reports whether node i takes a constant with a scale for each channel. A
// node that does not reads the constant in float32.
func (e *emitter) takesChannels(i int, name string) bool {
	n := e.nodes[i]
	if n == nil || n.Domain() != graphops.DefaultDomain {
		return true
	}
	first := len(n.Inputs()) > 0 && n.Inputs()[0] == name && slices.Contains(factors, n.OpType())
	if first || slices.Contains(oneScale, n.OpType()) {
		e.report.depart(SharedConstant)
		return false
	}
	return true
}
