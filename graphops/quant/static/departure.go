package static

import "lathe/graphops/departure"

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.quantization.quantize_static, for the same model. If a report has none, the result
// equals that of the reference.
type Departure = departure.Departure

// The departures. Each comment describes what the reference does.
const (
	// gemmBeta: if the beta of a Gemm is not 1, its third input is added without that factor.
	gemmBeta Departure = "gemm-beta"
	// biasShape: a bias that is not a vector gets a scale for each channel along its first axis, or
	// the run ends with an error.
	biasShape Departure = "bias-shape"
	// removedActivation: a Relu or Clip is removed even if the integers can represent numbers that
	// it would cut off.
	removedActivation Departure = "removed-activation"
	// sharedWithoutProvider: a value that shares the parameters of one that never gets any makes
	// the run endless. A value that shares those of a weight with a scale for each channel gives a
	// model that does not load.
	sharedWithoutProvider Departure = "shared-without-provider"
	// opsetKept: for 16-bit types, a model below opset 21 is converted to it even if its operators
	// have another meaning there.
	opsetKept Departure = "opset-kept"
	// carriedAttribute: an attribute that a later opset has as an input becomes a Constant node.
	carriedAttribute Departure = "carried-attribute"
	// laterOverrides: of several overrides, only the first is checked, both for validity and for
	// types that need a later opset.
	laterOverrides Departure = "later-overrides"
	// perChannelOpset: in opsets below 13, a scale for each channel is written although the
	// operators have no axis there.
	perChannelOpset Departure = "per-channel-opset"
	// nameCollision: new values and nodes are named without looking at the names in the model.
	nameCollision Departure = "name-collision"
	// capturedValue: values captured by bodies are not noticed.
	capturedValue Departure = "captured-value"
	// foreignDomain: operators are recognized by name alone, in any domain.
	foreignDomain Departure = "foreign-domain"
	// unscaledBias: a bias next to a value or weight that stays in float ends the run with an
	// error.
	unscaledBias Departure = "unscaled-bias"
	// rangeOverflow: the width of a range is computed in float32, where it can become infinite, and
	// the scale with it.
	rangeOverflow Departure = "range-overflow"
	// gemmAlpha: the bias of a QGemm is stored as if the products were not multiplied by alpha.
	gemmAlpha Departure = "gemm-alpha"
	// excludedWhere: a Where becomes a QLinearWhere even if the options exclude it.
	excludedWhere Departure = "excluded-where"
	// missingOperand: an operand that a node reads in float is not dequantized for it.
	missingOperand Departure = "missing-operand"
	// sharedConstant: if several nodes read a constant, it gets the form that the first of them
	// needs. Others cannot use that form, or misinterpret it.
	sharedConstant Departure = "shared-constant"
	// sharedBias: a bias that several nodes read is stored with the scale of the products of the
	// first of them, and the others read the same integers.
	sharedBias Departure = "shared-bias"
	// sharedWeightScale: the scale of a weight is increased for a later bias, while an earlier bias
	// keeps the scale that follows from the old one.
	sharedWeightScale Departure = "shared-weight-scale"
	// asymmetricChannels: each channel of a weight gets its own zero point, which operators on
	// integers do not accept.
	asymmetricChannels Departure = "asymmetric-channels"
	// batchedChannels: a weight that is a stack of matrices gets a scale for each element of an
	// axis: the axis that is summed over in FormatQDQ, and the last one in FormatOperators, as does
	// a vector. QLinearMatMul does not accept either, and runtimes make it of the pairs of
	// FormatQDQ too.
	batchedChannels Departure = "batched-channels"
	// lostOperand: for an EmbedLayerNormalization, position ids are dropped, and an attribute is
	// written that the quantized operator does not have, which runtimes refuse.
	lostOperand Departure = "lost-operand"
	// missingMaskOutput: a QEmbedLayerNormalization is written without its second output, although
	// the operator requires it.
	missingMaskOutput Departure = "missing-mask-output"
	// firstFactorChannels: a constant first factor of a MatMul gets a scale for each channel along
	// the axis that is summed over, which QLinearMatMul does not accept.
	firstFactorChannels Departure = "first-factor-channels"
	// emptyValue: nodes that read or produce values without elements are quantized. In ONNX
	// Runtime, QLinearAdd and QLinearMul then crash, QLinearSoftmax produces nothing, and a product
	// that sums over no elements gives NaN.
	emptyValue Departure = "empty-value"
	// computedBias: a bias that is not an initializer ends the run with an error, or leaves a
	// reference to integers that no node produces.
	computedBias Departure = "computed-bias"
	// unknownOperator: an operator is written with attributes that it does not have.
	unknownOperator Departure = "unknown-operator"
	// forcedMoves: operators that only move elements compute in float even if Force asks for
	// integers.
	forcedMoves Departure = "forced-moves"
	// raisedIRVersion: initializers that are not inputs are added to a model whose IR version does
	// not allow them.
	raisedIRVersion Departure = "raised-ir-version"
	// maskedScores: the input of a Softmax is quantized even if a mask of -10000 or lower is part
	// of its range. All scores that matter then become the same integer.
	maskedScores Departure = "masked-scores"
	// offsetNumbers: for 8-bit floats, the scale follows from the deviation alone. Numbers that lie
	// close together and far from 0 then exceed what can be represented, and if all numbers are
	// equal the scale is 0.
	offsetNumbers Departure = "offset-numbers"
	// missingSoftmaxSpread: the output of a Softmax has a fixed range but no deviation, which ends the run
	// with an error.
	missingSoftmaxSpread Departure = "softmax-spread"
)

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
