package roles

import (
	"sync"

	"lathe/graphops"
)

// class is how an operator treats the values that pass through it.
type class uint8

const (
	other      class = iota
	passing          // the first input, in another layout, another type, or a part of it
	joining          // Concat
	scattering       // the first input with some elements replaced
	elementary       // by elements, from several inputs
	single           // by elements, from one input
	comparing        // comparisons and logic
	summing          // adds up along an axis
	product          // of two tensors
	weighted         // a product of the first input with weights, for which it has inputs of its own
	convolving       // a convolution
	norming          // a normalization of the first input
	turning          // Cos and Sin
	looking          // rows of a table
	softmax
	rotating // rotary embeddings
)

// classes are the classes of operators.
var classes = sync.OnceValue(func() map[graphops.Op]class {
	out := map[graphops.Op]class{}
	classify := func(c class, standard, microsofts []string) {
		for _, name := range standard {
			out[graphops.Op{Name: name}] = c
		}
		for _, name := range microsofts {
			out[microsoft(name)] = c
		}
	}
	classify(passing, []string{"Identity", "Cast", "CastLike", "Dropout", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile", "Split", "Slice", "Pad", "GatherND", "GatherElements", "Trilu"},
		[]string{"QuantizeLinear", "DequantizeLinear", "ExpandDims"})
	classify(joining, []string{"Concat"}, nil)
	classify(scattering, []string{"Scatter", "ScatterND", "ScatterElements", "TensorScatter"}, nil)
	classify(elementary, []string{"Add", "Sub", "Mul", "Div", "Max", "Min", "Where", "Pow", "Mod", "PRelu", "Sum", "Range"}, []string{"BiasGelu", "FastGelu", "BiasAdd", "QLinearAdd", "QLinearMul"})
	classify(single, []string{"Relu", "LeakyRelu", "Gelu", "Erf", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Neg", "Abs", "Clip", "Floor", "Ceil", "Round", "Reciprocal", "HardSigmoid", "HardSwish", "Mish", "Swish", "Softplus", "Elu", "Selu", "Sign"}, []string{"Gelu", "QuickGelu"})
	classify(comparing, []string{"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor", "Not", "IsInf", "IsNaN"}, nil)
	classify(summing, []string{"ReduceSum", "CumSum", "ReduceMax", "ReduceMin", "ArgMax", "ReduceMean"}, nil)
	classify(product, []string{"MatMul", "MatMulInteger", "Gemm", "Einsum"}, []string{"FusedMatMul", "TransposeMatMul", "MatMulIntegerToFloat", "FusedGemm", "DynamicQuantizeMatMul"})
	classify(weighted, []string{"QLinearMatMul"}, []string{"MatMulNBits", "MatMulBnb4", "MatMulFpQ4", "QGemm", "QMoE", "MoE", "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight", "MatMulNBitsMlp", "MatMulNBitsQkv", "GemmFastGelu", "GemmFloat8"})
	classify(convolving, []string{"Conv", "ConvInteger", "QLinearConv", "ConvTranspose"}, []string{"FusedConv", "NhwcConv", "QLinearConv"})
	classify(norming, []string{"LayerNormalization", "RMSNormalization", "InstanceNormalization", "GroupNormalization", "BatchNormalization", "SimplifiedLayerNormalization", "LpNormalization"},
		[]string{"SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "SimplifiedLayerNormalization", "GatedRMSNorm", "QOrderedLayerNormalization", "GroupNorm", "SkipGroupNorm"})
	classify(turning, []string{"Cos", "Sin"}, nil)
	classify(looking, []string{"Gather"}, []string{"GatherBlockQuantized"})
	classify(softmax, []string{"Softmax"}, []string{"BiasSoftmax", "QLinearSoftmax"})
	classify(rotating, []string{"RotaryEmbedding"}, []string{"RotaryEmbedding", "MRotaryEmbedding", "GemmaRotaryEmbedding"})
	return out
})

// facts are what is looked up for an operator once, and not for each of its nodes.
type facts struct {
	class class
	form  *Form     // of an operator with a cache, otherwise nil
	slots *operator // of the form
	reads map[int]use
	// multiplies is set for operators that multiply two tensors, the first input and the one at
	// position second.
	multiplies bool
	second     int
}

// joint are the facts of a node that joins the results of branches.
var joint = &facts{}

func (f *flat) factsOf(op graphops.Op) *facts {
	if known := f.known[op]; known != nil {
		return known
	}
	out := &facts{class: classes()[op], form: operators()[op], reads: readers()[op], second: 1}
	if out.form != nil {
		out.slots = out.form.operator(op)
	}
	standard := op == graphops.Op{Name: "QLinearMatMul"}
	if standard {
		out.second = 3
	}
	out.multiplies = out.class == product || standard || op == microsoft("QLinearMatMul")
	f.known[op] = out
	return out
}

// scoring reports whether a node can be between a product of queries and keys, the softmax, and
// the product with the values.
func (n *node) scoring() bool {
	if n.op == nil {
		return true
	}
	switch n.class {
	case passing, elementary, single:
		return true
	default:
		return false
	}
}
