package quant

import "lathe/graphops/departure"

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.quantization.quantize_dynamic, for the same model. A report lists those that matter
// for its model. With none, the result equals that of the reference.
type Departure = departure.Departure

// The departures. Each comment describes what the reference does.
const (
	// SharedTransposedWeight: if several Gemms with transB read a weight, it is transposed once
	// for each of them, and all other readers get the transposed weight too.
	SharedTransposedWeight Departure = "shared-transposed-weight"
	// TransposedValueInfo: a model is refused if a Gemm transposes a weight whose shape is in
	// value_info.
	TransposedValueInfo Departure = "transposed-value-info"
	// PerChannelRank: a weight that is not a matrix gets a scale for each element of its last
	// axis. For a vector this is the axis that is summed over, which is wrong, and no kernel
	// accepts more than two axes. Here, such a weight gets one scale.
	PerChannelRank Departure = "per-channel-rank"
	// EmptyWeight: a weight without elements is quantized. MatMulInteger of ONNX Runtime then
	// leaves the product uninitialized, where MatMul would write zeros.
	EmptyWeight Departure = "empty-weight"
	// PerChannelActivation: a weight quantized per channel is also used where only one scale is
	// allowed: as a table, as a first factor, and in a Transpose.
	PerChannelActivation Departure = "per-channel-activation"
	// PerChannelOpset: a weight quantized per channel is dequantized along an axis in every
	// opset, although DequantizeLinear has an axis only from opset 13 on. Here, other readers keep
	// the float copy in earlier opsets.
	PerChannelOpset Departure = "per-channel-opset"
	// RangeOverflow: the width of a weight's range is computed in float32, where it can become
	// infinite, and the scale with it.
	RangeOverflow Departure = "range-overflow"
	// NameCollision: new values and nodes are named without looking at the names in the model.
	// The result can be invalid, or a new node can be mistaken for an existing one.
	NameCollision Departure = "name-collision"
	// DuplicateNodeName: if two quantized nodes have the same name, the second is scaled by the
	// weight of the first.
	DuplicateNodeName Departure = "duplicate-node-name"
	// ConstantNode: the output of a Constant node does not count as a weight.
	ConstantNode Departure = "constant-node"
	// UntouchedGemm: a Gemm becomes a MatMul and an Add even if it is excluded or its product
	// stays in float32, and in bodies too.
	UntouchedGemm Departure = "untouched-gemm"
	// EmptyBias: if a Gemm omits its third input, the Add that replaces it reads a value with an
	// empty name.
	EmptyBias Departure = "empty-bias"
	// ForeignDomain: operators are recognized by name alone, in any domain.
	ForeignDomain Departure = "foreign-domain"
	// CapturedValue: values captured by bodies are not noticed. A captured value that exists
	// only in quantized form is then missing, and a weight is defined twice.
	CapturedValue Departure = "captured-value"
	// Float16: float16 weights are quantized into a model that no runtime loads, because
	// DynamicQuantizeLinear accepts only float32.
	Float16 Departure = "float16"
	// WrongType: an integer weight next to a float factor ends the run with an error.
	WrongType Departure = "wrong-type"
	// RaisedIRVersion: initializers that are not inputs are added to a model whose IR version
	// does not allow them.
	RaisedIRVersion Departure = "raised-ir-version"
	// Unsorted: nodes that precede the nodes they read from are processed in that order.
	Unsorted Departure = "unsorted"
	// WeightElsewhere: a Conv with a bias, or an LSTM, ends the run with an error if its weight
	// is not an initializer of the same graph.
	WeightElsewhere Departure = "weight-elsewhere"
	// LostOperand: inputs and attributes that the quantized operator does not have, such as the
	// additive bias of an Attention or the position ids of an embedding, are dropped, or are
	// written anyway, which every runtime refuses.
	LostOperand Departure = "lost-operand"
	// MissingMaskOutput: a QEmbedLayerNormalization is written without its second output,
	// although the operator requires it.
	MissingMaskOutput Departure = "missing-mask-output"
	// SharedGates: weights that two LSTMs read are transposed twice, and all other readers get
	// the transposed weights.
	SharedGates Departure = "shared-gates"
	// AsymmetricGates: the weights of an LSTM get a zero point for each channel, but the kernel
	// accepts only 0.
	AsymmetricGates Departure = "asymmetric-gates"
	// OpsetTen: a model of opset 10 gets nodes that compute the range of a value without
	// extending it to 0, so that the zero point wraps around if all numbers have the same sign.
	OpsetTen Departure = "opset-ten"
	// OpsetConverter: a model below opset 10 goes through the version converter of the onnx
	// package, which numbers the nodes it adds, drops what it does not know, and refuses many
	// models.
	OpsetConverter Departure = "opset-converter"
	// SparseConstant: a model with a sparse constant ends the run with an error.
	SparseConstant Departure = "sparse-constant"
	// UnrestoredOperand: an operand that an LSTM, Attention or Conv reads in float32, such as a
	// bias, is not dequantized if it exists only in quantized form.
	UnrestoredOperand Departure = "unrestored-operand"
	// BatchFirst: the layout of an LSTM is dropped, so that its batch axis is taken for the
	// sequence axis.
	BatchFirst Departure = "batch-first"
	// FunctionBody: nodes in functions of the model stay in float32.
	FunctionBody Departure = "function-body"
	// AlreadyQuantized: a weight that comes from a DequantizeLinear is quantized again, while
	// the model runs.
	AlreadyQuantized Departure = "already-quantized"
)

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
