package static

import (
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// Format is the form in which a model says that it computes in integers.
type Format int

const (
	// FormatQDQ has a QuantizeLinear and a DequantizeLinear around every value, which
	// runtimes make operators of integers of.
	FormatQDQ Format = iota
	// FormatOperators has the operators of integers themselves, most of them of domain
	// com.microsoft. Types have 8 bits.
	FormatOperators
)

// Options say what is quantized, and how.
type Options struct {
	Format Format
	// ActivationType and WeightType are I8, U8, I16 or U16; weights may be I4 or U4
	// too. Signed activations go with signed weights only. Or both are F8E4M3FN, whose
	// scales follow from how numbers are spread.
	ActivationType, WeightType tensor.DType
	// PerChannel gives each channel of a weight its own scale.
	PerChannel bool
	// ReduceRange leaves one bit of each constant unused.
	ReduceRange bool
	// ActivationSymmetric makes the range of every activation symmetric to 0.
	ActivationSymmetric bool
	// RestrictedAsymmetric gives activations of type U8 one of two zero points, 0
	// or 128.
	RestrictedAsymmetric bool
	// WeightSymmetric overrides the symmetry that follows from the type. Weights
	// with a scale for each channel are always symmetric.
	WeightSymmetric quant.Symmetry
	// MinimumRealRange is the least width of a range, 0 for none.
	MinimumRealRange float64
	// QuantizeBias stores biases as int32.
	QuantizeBias bool
	// KeepWeightScales leaves the scale of a weight as it is even where the bias
	// beside it then leaves the range of int32.
	KeepWeightScales bool
	// PairAtWeights keeps weights in float, with a QuantizeLinear each.
	PairAtWeights bool
	// DedicatedPairs gives each reader of a value its own pair.
	DedicatedPairs bool
	// KeepRemovable keeps a Relu or Clip that saturation makes idle.
	KeepRemovable bool
	// Force quantizes the input of operators that only move elements, too, where
	// nothing else does.
	Force bool
	// ContribOps takes QuantizeLinear and DequantizeLinear of domain com.microsoft.
	ContribOps bool
	// ConstantFactors leaves a MatMul alone whose second factor is computed, and
	// SigmoidOver256 gives what a Sigmoid makes the scale 1/256 and all of the type, both in
	// FormatOperators alone.
	ConstantFactors, SigmoidOver256 bool
	// FloatOutputs are operators whose results stay in float.
	FloatOutputs []string
	// ChannelAxes overrides the axis of channels for weights of MatMul,
	// InstanceNormalization, LayerNormalization and BatchNormalization.
	ChannelAxes map[string]int
	// Masks quantizes what a Softmax reads even where a mask makes its range so wide that
	// all scores become the same integer.
	Masks bool
	// Overrides state how single values become integers, in FormatQDQ alone.
	Overrides Overrides
	// OpTypes are the operators to quantize, all of OpTypes() if empty.
	OpTypes []string
	// Include, if not empty, names the only nodes to quantize; Exclude names nodes
	// to leave alone.
	Include, Exclude []string
}

// DefaultOptions are those of the reference: int8, one scale each.
func DefaultOptions() Options {
	return Options{ActivationType: tensor.I8, WeightType: tensor.I8, QuantizeBias: true}
}
