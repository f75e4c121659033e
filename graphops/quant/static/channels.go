package static

import (
	"slices"

	"lathe/graphops"
)

// oneScale lists operators that accept only one scale for each value. Runtimes replace such an
// operator, with the DequantizeLinear before and the QuantizeLinear after it, by an integer
// operator.
var oneScale = []string{
	"Add", "Mul", "Where", "Concat", "Relu", "Clip", "LeakyRelu", "Sigmoid", "Softmax", "AveragePool", "GlobalAveragePool", "MaxPool", "Pad", "ArgMax",
}

// factors lists operators whose first input is a factor that must have one scale.
var factors = []string{"Conv", "ConvTranspose", "Gemm", "MatMul"}

// takesChannels reports whether node i accepts a constant with one scale for each channel. If not,
// the node reads the constant in float32.
func (e *emitter) takesChannels(i int, name string) bool {
	n := e.nodes[i]
	if n == nil || n.Domain() != graphops.DefaultDomain {
		return true
	}
	first := len(n.Inputs()) > 0 && n.Input(0) == name && slices.Contains(factors, n.OpType())
	if first || slices.Contains(oneScale, n.OpType()) {
		e.report.depart(sharedConstant)
		return false
	}
	return true
}
