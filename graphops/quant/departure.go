package quant

import "lathe/graphops/departure"

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.quantization.quantize_dynamic, for the same model. A report lists those that matter
// for its model. With none, the result equals that of the reference.
type Departure = departure.Departure

// The departures. Each comment describes what the reference does.
const (
	// sharedTransposedWeight: if several Gemms with transB read a weight, it is transposed once
	// for each of them, and all other readers get the transposed weight too.
	sharedTransposedWeight Departure = "shared-transposed-weight"
	// transposedValueInfo: a model is refused if a Gemm transposes a weight whose shape is in
	// value_info.
	transposedValueInfo Departure = "transposed-value-info"
	// perChannelRank: a weight that is not a matrix gets a scale for each element of its last
	// axis. For a vector this is the axis that is summed over, which is wrong, and no kernel
	// accepts more than two axes. Here, such a weight gets one scale.
	perChannelRank Departure = "per-channel-rank"
	// emptyWeight: a weight without elements is quantized. MatMulInteger of ONNX Runtime then
	// leaves the product uninitialized, where MatMul would write zeros.
	emptyWeight Departure = "empty-weight"
	// perChannelActivation: a weight quantized per channel is also used where only one scale is
	// allowed: as a table, as a first factor, and in a Transpose.
	perChannelActivation Departure = "per-channel-activation"
	// perChannelOpset: a weight quantized per channel is dequantized along an axis in every
	// opset, although DequantizeLinear has an axis only from opset 13 on. Here, other readers keep
	// the float copy in earlier opsets.
	perChannelOpset Departure = "per-channel-opset"
	// rangeOverflow: the width of a weight's range is computed in float32, where it can become
	// infinite, and the scale with it.
	rangeOverflow Departure = "range-overflow"
	// nameCollision: new values and nodes are named without looking at the names in the model.
	// The result can be invalid, or a new node can be mistaken for an existing one.
	nameCollision Departure = "name-collision"
	// duplicateNodeName: if two quantized nodes have the same name, the second is scaled by the
	// weight of the first.
	duplicateNodeName Departure = "duplicate-node-name"
	// constantNode: the output of a Constant node does not count as a weight.
	constantNode Departure = "constant-node"
	// untouchedGemm: a Gemm becomes a MatMul and an Add even if it is excluded or its product
	// stays in float32, and in bodies too.
	untouchedGemm Departure = "untouched-gemm"
	// emptyBias: if a Gemm omits its third input, the Add that replaces it reads a value with an
	// empty name.
	emptyBias Departure = "empty-bias"
	// foreignDomain: operators are recognized by name alone, in any domain.
	foreignDomain Departure = "foreign-domain"
	// capturedValue: values captured by bodies are not noticed. A captured value that exists
	// only in quantized form is then missing, and a weight is defined twice.
	capturedValue Departure = "captured-value"
	// float16Weight: float16 weights are quantized into a model that no runtime loads, because
	// DynamicQuantizeLinear accepts only float32.
	float16Weight Departure = "float16"
	// wrongType: an integer weight next to a float factor ends the run with an error.
	wrongType Departure = "wrong-type"
	// raisedIRVersion: initializers that are not inputs are added to a model whose IR version
	// does not allow them.
	raisedIRVersion Departure = "raised-ir-version"
	// unsorted: nodes that precede the nodes they read from are processed in that order.
	unsorted Departure = "unsorted"
	// weightElsewhere: a Conv with a bias, or an LSTM, ends the run with an error if its weight
	// is not an initializer of the same graph.
	weightElsewhere Departure = "weight-elsewhere"
	// lostOperand: inputs and attributes that the quantized operator does not have, such as the
	// additive bias of an Attention or the position ids of an embedding, are dropped, or are
	// written anyway, which every runtime refuses.
	lostOperand Departure = "lost-operand"
	// missingMaskOutput: a QEmbedLayerNormalization is written without its second output,
	// although the operator requires it.
	missingMaskOutput Departure = "missing-mask-output"
	// sharedGates: weights that two LSTMs read are transposed twice, and all other readers get
	// the transposed weights.
	sharedGates Departure = "shared-gates"
	// asymmetricGates: the weights of an LSTM get a zero point for each channel, but the kernel
	// accepts only 0.
	asymmetricGates Departure = "asymmetric-gates"
	// opsetTen: a model of opset 10 gets nodes that compute the range of a value without
	// extending it to 0, so that the zero point wraps around if all numbers have the same sign.
	opsetTen Departure = "opset-ten"
	// opsetConverter: a model below opset 10 goes through the version converter of the onnx
	// package, which numbers the nodes it adds, drops what it does not know, and refuses many
	// models.
	opsetConverter Departure = "opset-converter"
	// sparseConstant: a model with a sparse constant ends the run with an error.
	sparseConstant Departure = "sparse-constant"
	// unrestoredOperand: an operand that an LSTM, Attention or Conv reads in float32, such as a
	// bias, is not dequantized if it exists only in quantized form.
	unrestoredOperand Departure = "unrestored-operand"
	// batchAxisFirst: the layout of an LSTM is dropped, so that its batch axis is taken for the
	// sequence axis.
	batchAxisFirst Departure = "batch-first"
	// functionBody: nodes in functions of the model stay in float32.
	functionBody Departure = "function-body"
	// alreadyQuantized: a weight that comes from a DequantizeLinear is quantized again, while
	// the model runs.
	alreadyQuantized Departure = "already-quantized"
)

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
