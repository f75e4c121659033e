package axes

import (
	"slices"

	"lathe/graphops"
)

// stacking lists, by operator, the inputs whose rows belong to the rows of the data, or that have
// one element for each row: initial states, lengths, grids, positions. nil means all inputs. A
// constant in such an input may be expanded when the number of rows becomes dynamic. In any other
// input it is a weight and cannot. Operators outside the default domain have the domain as a
// prefix.
var stacking = map[string][]int{
	"Concat": nil, "Scan": nil, "Where": nil, "Add": nil, "Sub": nil, "Mul": nil, "Div": nil, "Mod": nil, "Pow": nil,
	"Max": nil, "Min": nil, "Sum": nil, "Mean": nil, "And": nil, "Or": nil, "Xor": nil,
	"BitwiseAnd": nil, "BitwiseOr": nil, "BitwiseXor": nil, "BitShift": nil,
	"Equal": nil, "Less": nil, "Greater": nil, "LessOrEqual": nil, "GreaterOrEqual": nil,
	"GatherElements": nil, "ScatterElements": nil, "Scatter": nil, "GatherND": nil, "TensorScatter": nil,
	"RNN": {4, 5, 6}, "GRU": {4, 5}, "LSTM": {4, 5, 6}, "ReverseSequence": {1},
	"GridSample": {0, 1}, "AffineGrid": {0}, "RoiAlign": {1, 2}, "DeformConv": {2, 4}, "NonMaxSuppression": {0, 1},
	"Attention": {1, 2, 4, 5, 6}, "RotaryEmbedding": {3}, "LinearAttention": {3}, "CausalConvWithState": {3},

	microsoft + "GridSample": {0, 1}, microsoft + "CropAndResize": {1, 2}, microsoft + "GatherND": nil,
	microsoft + "Attention": {3, 4}, microsoft + "QAttention": {5, 8}, microsoft + "MultiHeadAttention": {1, 2, 4, 6, 7},
	microsoft + "DecoderMaskedMultiHeadAttention": {1, 2, 3, 5, 6}, microsoft + "GroupQueryAttention": {1, 2, 3, 4, 5},
	microsoft + "EmbedLayerNormalization": {0, 1, 7, 8}, microsoft + "QEmbedLayerNormalization": {0, 1, 7},
	microsoft + "SkipLayerNormalization": {0, 1}, microsoft + "SkipSimplifiedLayerNormalization": {0, 1},
	microsoft + "RotaryEmbedding": {1}, microsoft + "DynamicQuantizeLSTM": {4, 5, 6},
	microsoft + "CausalConvWithState": {3}, microsoft + "LinearAttention": {3},
}

const microsoft = graphops.MicrosoftDomain + "."

// stacks reports whether stacking lists an input of a node.
func stacks(n *graphops.Node, input int) bool {
	op := n.OpType()
	if domain := n.Domain(); domain != graphops.DefaultDomain {
		op = domain + "." + op
	}
	inputs, ok := stacking[op]
	return ok && (inputs == nil || slices.Contains(inputs, input))
}
