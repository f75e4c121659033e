package static

import "lathe/graphops/departure"

// Departure is a point on which the result differs on purpose from what the
// reference, onnxruntime.quantization.quantize_static, makes of the same model.
// Without any in a report, the result is the reference's.
type Departure = departure.Departure

// The departures. Each says what the reference does.
const (
	// GemmBeta: a Gemm whose beta is not 1 adds its third input unscaled.
	GemmBeta Departure = "gemm-beta"
	// BiasShape: a bias that is no vector gets a scale for each channel along its
	// first axis, or the run ends.
	BiasShape Departure = "bias-shape"
	// RemovedActivation: a Relu or Clip is removed though the integers reach beyond
	// what it lets through.
	RemovedActivation Departure = "removed-activation"
	// SharedWithoutProvider: a value that shares the parameters of one that never
	// has any makes the run endless, and one that shares those of a weight with a
	// scale for each channel makes a model that does not load.
	SharedWithoutProvider Departure = "shared-without-provider"
	// OpsetKept: a model of an opset below 21 is converted to it for types of 16
	// bits, whatever its operators mean there.
	OpsetKept Departure = "opset-kept"
	// CarriedAttribute: an attribute that a later opset has as an input becomes a
	// Constant node.
	CarriedAttribute Departure = "carried-attribute"
	// LaterOverrides: of several overrides the first alone is looked at, for whether it
	// can be and for types that need a later opset.
	LaterOverrides Departure = "later-overrides"
	// PerChannelOpset: a scale for each channel is written with operators that know
	// no axis, which opsets below 13 have.
	PerChannelOpset Departure = "per-channel-opset"
	// NameCollision: new values and nodes get names without regard to those that
	// the model has.
	NameCollision Departure = "name-collision"
	// CapturedValue: what a body captures is not seen.
	CapturedValue Departure = "captured-value"
	// ForeignDomain: operators are told by their name alone, whatever domain
	// defines them.
	ForeignDomain Departure = "foreign-domain"
	// UnscaledBias: a bias beside a value or weight that stays in float ends the run.
	UnscaledBias Departure = "unscaled-bias"
	// RangeOverflow: the width of a range is computed in float32 and becomes
	// infinite, and with it the scale.
	RangeOverflow Departure = "range-overflow"
	// GemmAlpha: the bias of a QGemm is stored as if what it is added to were not
	// multiplied by alpha.
	GemmAlpha Departure = "gemm-alpha"
	// ExcludedWhere: a Where is made a QLinearWhere whatever the options leave out.
	ExcludedWhere Departure = "excluded-where"
	// MissingOperand: what a node reads in float is not dequantized for it.
	MissingOperand Departure = "missing-operand"
	// SharedConstant: a constant that several nodes read has the form that the first of
	// them needs, which others cannot take or take for something else.
	SharedConstant Departure = "shared-constant"
	// SharedBias: a bias is stored in the unit of the first products that it is added to,
	// and read by all.
	SharedBias Departure = "shared-bias"
	// SharedWeightScale: the scale of a weight becomes larger for a later bias, and an
	// earlier one keeps the unit that it had.
	SharedWeightScale Departure = "shared-weight-scale"
	// AsymmetricChannels: channels of a weight have zero points of their own, which
	// operators of integers do not take.
	AsymmetricChannels Departure = "asymmetric-channels"
	// BatchedChannels: a stack of matrices gets a scale for each element along an axis, the
	// summed one with pairs and the last one with operators of integers, where a vector
	// does, too. QLinearMatMul, which runtimes make of pairs as well, does not take it.
	BatchedChannels Departure = "batched-channels"
	// LostOperand: of an EmbedLayerNormalization positions are dropped, and an attribute is
	// written that the operator on integers does not have, which runtimes refuse.
	LostOperand Departure = "lost-operand"
	// MissingMaskOutput: a QEmbedLayerNormalization is written without its second output,
	// which the operator must have.
	MissingMaskOutput Departure = "missing-mask-output"
	// FirstFactorChannels: the first factor of a MatMul that is constant gets a scale for
	// each channel along the axis that is summed over, which QLinearMatMul does not take.
	FirstFactorChannels Departure = "first-factor-channels"
	// EmptyValue: a node that reads or makes what has no elements is quantized; ONNX
	// Runtime's QLinearAdd and QLinearMul crash then, QLinearSoftmax makes nothing, and a
	// product over nothing makes NaN.
	EmptyValue Departure = "empty-value"
	// ComputedBias: a bias that is no initializer ends the run, or leaves integers that
	// nothing makes.
	ComputedBias Departure = "computed-bias"
	// UnknownOperator: an operator is written with attributes that it does not have.
	UnknownOperator Departure = "unknown-operator"
	// SigmoidZeroPoint: what a Sigmoid makes has the zero point 0 with the scale 1/256 in
	// type int8, which ends at 0.5.
	SigmoidZeroPoint Departure = "sigmoid-zero-point"
	// ForcedMoves: operators that only move elements compute in float where they are to
	// compute in integers at all events.
	ForcedMoves Departure = "forced-moves"
	// RaisedIRVersion: initializers that are no inputs are added to a model of an
	// IR version that does not have them.
	RaisedIRVersion Departure = "raised-ir-version"
	// MaskedScores: what a Softmax reads is quantized over a range that a mask of -10000 or
	// less is part of, and all scores that it tells apart become the same integer.
	MaskedScores Departure = "masked-scores"
	// OffsetNumbers: the scale of numbers of 8 bits follows from a deviation alone, beyond
	// which lies all that is far off 0 and close together; of numbers that are all the same
	// the scale is 0.
	OffsetNumbers Departure = "offset-numbers"
	// SoftmaxSpread: what a Softmax makes has a range and no deviation, which ends the run.
	SoftmaxSpread Departure = "softmax-spread"
)

// Departures say for each what happens here.
var Departures = departure.Table{
	GemmBeta:              "the bias of a Gemm whose beta is not 1 is stored multiplied by it, or stays in float32 beside its beta",
	BiasShape:             "a bias that is no vector stays in float32 beside a weight with a scale for each channel",
	RemovedActivation:     "a Relu or Clip stays where saturation does not do its work",
	SharedWithoutProvider: "a value that cannot share parameters has its own, or stays in float32",
	OpsetKept:             "the opset stays where an operator means something else in a later one, and operators of domain com.microsoft take types of 16 bits",
	CarriedAttribute:      "an attribute that a later opset has as an input becomes an initializer",
	LaterOverrides:        "all overrides are looked at for types that need a later opset",
	PerChannelOpset:       "operators of domain com.microsoft take a scale for each channel below opset 13",
	NameCollision:         "new names that the model has already get a number",
	CapturedValue:         "what a body reads is there in float32",
	ForeignDomain:         "an operator of another domain is not taken for the standard one of its name",
	UnscaledBias:          "a bias beside a value or weight that stays in float32 stays in float32 too",
	RangeOverflow:         "the width of a range is beyond float32 and is computed in float64",
	MaskedScores:          "scores that a mask is added to before a Softmax stay in float32",
	OffsetNumbers:         "the scale of numbers of 8 bits that lie far off 0 follows from their distance from 0",
	SoftmaxSpread:         "what a Softmax makes has the scale 1/256",
	GemmAlpha:             "the bias of a QGemm is stored divided by alpha, which it is multiplied by",
	ExcludedWhere:         "a Where that is left out stays as it is",
	MissingOperand:        "what a node reads in float32 is dequantized for it",
	SharedConstant:        "a constant is stored in each form that the nodes which read it take",
	SharedBias:            "a bias that is added to products of several units is stored in each",
	SharedWeightScale:     "a bias is stored in the unit that its products have in the end",
	AsymmetricChannels:    "channels of a weight have 0 in the middle, as operators of integers need it",
	BatchedChannels:       "a second factor of a MatMul that is no matrix has one scale",
	LostOperand:           "a node stays in float32 that has an input or attribute which its operator of integers lacks",
	MissingMaskOutput:     "the second output of an embedding of integers has a name, which it needs",
	FirstFactorChannels:   "a first factor of a MatMul has one scale",
	EmptyValue:            "a node that reads or makes what has no elements stays as it is",
	ComputedBias:          "a node whose bias is no initializer stays in float32",
	UnknownOperator:       "a node with attributes that its operator of integers lacks stays in float32",
	SigmoidZeroPoint:      "what a Sigmoid makes has the zero point -128 in type int8",
	ForcedMoves:           "operators that only move elements are quantized as asked, also where they read no initializer",
	RaisedIRVersion:       "the IR version is raised to one whose initializers need not be inputs",
}

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
