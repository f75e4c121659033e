package cost

import "lathe/graphops/dim"

// For each element of its output, a convolution needs as many products as the kernel has elements
// for one output channel: with a kernel of M×C/group×k…, these are C/group×k…. Products with
// padding count too. A transposed convolution is the reverse: with a kernel of C×M/group×k…, it
// uses each element of its input M/group×k… times.

var convolutions = family{
	"Conv": convolution(1), "ConvInteger": convolution(1), "QLinearConv": convolution(3), "DeformConv": convolution(1),
	"CausalConvWithState": convolution(1), "ConvTranspose": convTranspose(1),
}

var convolutionsMicrosoft = family{
	"FusedConv": convolution(1), "NhwcConv": convolution(1), "NhwcFusedConv": convolution(1), "QLinearConv": convolution(3),
	"CausalConvWithState": convolution(1), "ConvTransposeWithDynamicPads": convTranspose(1),
}

var convolutionsNHWC = family{
	"Conv": convolution(1), "QLinearConv": convolution(3), "ConvTranspose": convTranspose(1), "QLinearConvTranspose": convTranspose(3),
}

// convolution returns the formula of a convolution whose kernel is the input at the given position.
func convolution(kernel int) formula {
	return func(n node) dim.Dim { return elements(n.out(0)).Mul(perChannel(n.in(kernel))) }
}

func convTranspose(kernel int) formula {
	return func(n node) dim.Dim { return elements(n.in(0)).Mul(perChannel(n.in(kernel))) }
}

// perChannel returns the number of elements of a kernel for one index of its first axis.
func perChannel(kernel []dim.Dim) dim.Dim {
	if len(kernel) == 0 {
		return dim.Unknown()
	}
	return dim.Product(kernel[1:]...)
}
