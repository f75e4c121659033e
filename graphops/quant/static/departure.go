package static

import "lathe/graphops/departure"

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.quantization.quantize_static, for the same model. If a report has none, the result
// equals that of the reference.
type Departure = departure.Departure

// The departures. Each comment describes what the reference does.
const (
	// GemmBeta: if the beta of a Gemm is not 1, its third input is added without that factor.
	GemmBeta Departure = "gemm-beta"
	// BiasShape: a bias that is not a vector gets a scale for each channel along its first axis, or
	// the run ends with an error.
	BiasShape Departure = "bias-shape"
	// RemovedActivation: a Relu or Clip is removed even if the integers can represent numbers that
	// it would cut off.
	RemovedActivation Departure = "removed-activation"
	// SharedWithoutProvider: a value that shares the parameters of one that never gets any makes
	// the run endless. A value that shares those of a weight with a scale for each channel gives a
	// model that does not load.
	SharedWithoutProvider Departure = "shared-without-provider"
	// OpsetKept: for 16-bit types, a model below opset 21 is converted to it even if its operators
	// have another meaning there.
	OpsetKept Departure = "opset-kept"
	// CarriedAttribute: an attribute that a later opset has as an input becomes a Constant node.
	CarriedAttribute Departure = "carried-attribute"
	// LaterOverrides: of several overrides, only the first is checked, both for validity and for
	// types that need a later opset.
	LaterOverrides Departure = "later-overrides"
	// PerChannelOpset: in opsets below 13, a scale for each channel is written although the
	// operators have no axis there.
	PerChannelOpset Departure = "per-channel-opset"
	// NameCollision: new values and nodes are named without looking at the names in the model.
	NameCollision Departure = "name-collision"
	// CapturedValue: values captured by bodies are not noticed.
	CapturedValue Departure = "captured-value"
	// ForeignDomain: operators are recognized by name alone, in any domain.
	ForeignDomain Departure = "foreign-domain"
	// UnscaledBias: a bias next to a value or weight that stays in float ends the run with an
	// error.
	UnscaledBias Departure = "unscaled-bias"
	// RangeOverflow: the width of a range is computed in float32, where it can become infinite, and
	// the scale with it.
	RangeOverflow Departure = "range-overflow"
	// GemmAlpha: the bias of a QGemm is stored as if the products were not multiplied by alpha.
	GemmAlpha Departure = "gemm-alpha"
	// ExcludedWhere: a Where becomes a QLinearWhere even if the options exclude it.
	ExcludedWhere Departure = "excluded-where"
	// MissingOperand: an operand that a node reads in float is not dequantized for it.
	MissingOperand Departure = "missing-operand"
	// SharedConstant: if several nodes read a constant, it gets the form that the first of them
	// needs. Others cannot use that form, or misinterpret it.
	SharedConstant Departure = "shared-constant"
	// SharedBias: a bias that several nodes read is stored with the scale of the products of the
	// first of them, and the others read the same integers.
	SharedBias Departure = "shared-bias"
	// SharedWeightScale: the scale of a weight is increased for a later bias, while an earlier bias
	// keeps the scale that follows from the old one.
	SharedWeightScale Departure = "shared-weight-scale"
	// AsymmetricChannels: each channel of a weight gets its own zero point, which operators on
	// integers do not accept.
	AsymmetricChannels Departure = "asymmetric-channels"
	// BatchedChannels: a weight that is a stack of matrices gets a scale for each element of an
	// axis: the axis that is summed over in FormatQDQ, and the last one in FormatOperators, as does
	// a vector. QLinearMatMul does not accept either, and runtimes make it of the pairs of
	// FormatQDQ too.
	BatchedChannels Departure = "batched-channels"
	// LostOperand: for an EmbedLayerNormalization, position ids are dropped, and an attribute is
	// written that the quantized operator does not have, which runtimes refuse.
	LostOperand Departure = "lost-operand"
	// MissingMaskOutput: a QEmbedLayerNormalization is written without its second output, although
	// the operator requires it.
	MissingMaskOutput Departure = "missing-mask-output"
	// FirstFactorChannels: a constant first factor of a MatMul gets a scale for each channel along
	// the axis that is summed over, which QLinearMatMul does not accept.
	FirstFactorChannels Departure = "first-factor-channels"
	// EmptyValue: nodes that read or produce values without elements are quantized. In ONNX
	// Runtime, QLinearAdd and QLinearMul then crash, QLinearSoftmax produces nothing, and a product
	// that sums over no elements gives NaN.
	EmptyValue Departure = "empty-value"
	// ComputedBias: a bias that is not an initializer ends the run with an error, or leaves a
	// reference to integers that no node produces.
	ComputedBias Departure = "computed-bias"
	// UnknownOperator: an operator is written with attributes that it does not have.
	UnknownOperator Departure = "unknown-operator"
	// ForcedMoves: operators that only move elements compute in float even if Force asks for
	// integers.
	ForcedMoves Departure = "forced-moves"
	// RaisedIRVersion: initializers that are not inputs are added to a model whose IR version does
	// not allow them.
	RaisedIRVersion Departure = "raised-ir-version"
	// MaskedScores: the input of a Softmax is quantized even if a mask of -10000 or lower is part
	// of its range. All scores that matter then become the same integer.
	MaskedScores Departure = "masked-scores"
	// OffsetNumbers: for 8-bit floats, the scale follows from the deviation alone. Numbers that lie
	// close together and far from 0 then exceed what can be represented, and if all numbers are
	// equal the scale is 0.
	OffsetNumbers Departure = "offset-numbers"
	// SoftmaxSpread: the output of a Softmax has a fixed range but no deviation, which ends the run
	// with an error.
	SoftmaxSpread Departure = "softmax-spread"
)

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
