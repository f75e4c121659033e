package static

import (
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// Format is the form in which a model expresses computation in integers.
type Format int

const (
	// FormatQDQ puts a pair of QuantizeLinear and DequantizeLinear at each value, from which
	// runtimes make operators on integers.
	FormatQDQ Format = iota
	// FormatOperators uses the operators on integers themselves, most of them of domain
	// com.microsoft. All types have 8 bits.
	FormatOperators
)

// Options say what is quantized, and how.
type Options struct {
	Format Format
	// ActivationType and WeightType are I8, U8, I16 or U16; weights may also be I4 or U4. Signed
	// activations require signed weights. Alternatively, both are F8E4M3FN, where the scale follows
	// from the deviation of the numbers.
	ActivationType, WeightType tensor.DType
	// PerChannel gives each channel of a weight its own scale.
	PerChannel bool
	// ReduceRange leaves one bit of each constant unused.
	ReduceRange bool
	// ActivationSymmetric makes the range of each activation symmetric around 0.
	ActivationSymmetric bool
	// RestrictedAsymmetric allows only the zero points 0 and 128 for activations of type U8.
	RestrictedAsymmetric bool
	// WeightSymmetric overrides the symmetry that follows from the type. Weights with a scale for
	// each channel are always symmetric.
	WeightSymmetric quant.Symmetry
	// MinimumRealRange is the minimum width of a range; 0 means no minimum.
	MinimumRealRange float64
	// QuantizeBias stores biases as int32.
	QuantizeBias bool
	// KeepWeightScales does not increase the scale of a weight for a bias that would otherwise not
	// fit into int32.
	KeepWeightScales bool
	// PairAtWeights keeps weights in float, each with its own QuantizeLinear and DequantizeLinear.
	PairAtWeights bool
	// DedicatedPairs gives each node that reads a value its own QuantizeLinear and
	// DequantizeLinear.
	DedicatedPairs bool
	// KeepRemovable keeps each Relu and Clip, even if the limits of the integers have the same
	// effect.
	KeepRemovable bool
	// Force also quantizes the inputs of operators that only move elements if nothing else does.
	Force bool
	// ContribOps uses QuantizeLinear and DequantizeLinear of domain com.microsoft.
	ContribOps bool
	// ConstantFactors leaves a MatMul alone if its second factor is computed. It applies to
	// FormatOperators only.
	ConstantFactors bool
	// FloatOutputs lists operators whose results stay in float.
	FloatOutputs []string
	// ChannelAxes overrides the axis of channels for weights of MatMul, InstanceNormalization,
	// LayerNormalization and BatchNormalization.
	ChannelAxes map[string]int
	// Runtime is the version of the ONNX Runtime that shall run the result; empty if unknown.
	Runtime string
	// Masks quantizes the input of a Softmax even if a mask extends its range so far that all
	// scores become the same integer.
	Masks bool
	// Overrides say how single values become integers. They apply to FormatQDQ only.
	Overrides Overrides
	// OpTypes lists the operators to quantize; if empty, all of opTypes().
	OpTypes []string
	// Include, if not empty, names the only nodes to quantize; Exclude names nodes to leave alone.
	Include, Exclude []string
}

// DefaultOptions returns the defaults of the reference: int8, with one scale for each value.
func DefaultOptions() Options {
	return Options{ActivationType: tensor.I8, WeightType: tensor.I8, QuantizeBias: true}
}
