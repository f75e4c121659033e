package cost

import "lathe/graphops/dim"

// A kernel of M×C/group×k… gives every element of the output C/group×k… products,
// at the border too, where some are with padding. The other way round, a transposed
// one of C×M/group×k… uses every element of the input M/group×k… times.

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

// convolution has its kernel at an input.
func convolution(kernel int) formula {
	return func(n node) dim.Dim { return elements(n.out(0)).Mul(perChannel(n.in(kernel))) }
}

func convTranspose(kernel int) formula {
	return func(n node) dim.Dim { return elements(n.in(0)).Mul(perChannel(n.in(kernel))) }
}

// perChannel is the size of what a kernel holds for each of its first axis.
func perChannel(kernel []dim.Dim) dim.Dim {
	if len(kernel) == 0 {
		return dim.Unknown()
	}
	return dim.Product(kernel[1:]...)
}
