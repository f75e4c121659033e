package quant

import "lathe/graphops/departure"

// Departure is a point on which the result differs on purpose from what the
// reference, onnxruntime.quantization.quantize_dynamic, makes of the same
// model. A report lists those that a model brought up; without any, the result
// is the reference's.
type Departure = departure.Departure

// The departures. Each says what the reference does; what happens here instead
// follows from it.
const (
	// SharedTransposedWeight: a weight that several Gemms with transB read is
	// transposed once for each of them, and any other reader gets it transposed.
	SharedTransposedWeight Departure = "shared-transposed-weight"
	// TransposedValueInfo: a model that states the shape of a weight in value_info
	// is refused where a Gemm transposes that weight.
	TransposedValueInfo Departure = "transposed-value-info"
	// PerChannelRank: a weight that is no matrix gets a scale for each element of
	// its last axis. For a vector that is the axis which is summed over, which is
	// wrong, and no kernel takes more axes. Such a weight is quantized as a whole.
	PerChannelRank Departure = "per-channel-rank"
	// EmptyWeight: a weight without elements is quantized; ONNX Runtime's
	// MatMulInteger then leaves the product unset where MatMul makes zeros.
	EmptyWeight Departure = "empty-weight"
	// PerChannelActivation: a weight quantized per channel is used as it is where
	// one scale is expected: as a table, as a first factor, in a Transpose.
	PerChannelActivation Departure = "per-channel-activation"
	// PerChannelOpset: a weight quantized per channel is dequantized along an
	// axis, which operators have known from opset 13 on. Before, its other
	// readers keep the float copy.
	PerChannelOpset Departure = "per-channel-opset"
	// RangeOverflow: the width of a weight's range is computed in float32 and
	// becomes infinite, and with it the scale.
	RangeOverflow Departure = "range-overflow"
	// NameCollision: new values and nodes get names without regard to those that
	// the model has, which makes it invalid or reuses a node that means something
	// else.
	NameCollision Departure = "name-collision"
	// DuplicateNodeName: of two quantized nodes of one name, the second is
	// scaled by the first one's weight.
	DuplicateNodeName Departure = "duplicate-node-name"
	// ConstantNode: the output of a Constant node is not taken for a weight.
	ConstantNode Departure = "constant-node"
	// UntouchedGemm: a Gemm becomes MatMul and Add even where it is excluded or
	// its product stays in float32, and in bodies.
	UntouchedGemm Departure = "untouched-gemm"
	// EmptyBias: the Add of a Gemm whose third input is left out reads the empty
	// name.
	EmptyBias Departure = "empty-bias"
	// ForeignDomain: operators are told by their name alone, whatever domain
	// defines them.
	ForeignDomain Departure = "foreign-domain"
	// CapturedValue: what a body captures is not seen. A value that exists only
	// quantized is missing there, and a weight is defined twice.
	CapturedValue Departure = "captured-value"
	// Float16: weights in float16 are quantized into a model that no runtime
	// loads, since DynamicQuantizeLinear takes float32.
	Float16 Departure = "float16"
	// WrongType: a weight of integers beside a factor of floats ends the run.
	WrongType Departure = "wrong-type"
	// RaisedIRVersion: initializers that are no inputs are added to a model of an
	// IR version that does not have them.
	RaisedIRVersion Departure = "raised-ir-version"
	// Unsorted: nodes that stand before what they read are taken in that order.
	Unsorted Departure = "unsorted"
	// WeightElsewhere: a Conv with a bias, or an LSTM, whose weight is no initializer
	// of the same graph ends the run.
	WeightElsewhere Departure = "weight-elsewhere"
	// LostOperand: what the quantized operator has no place for is dropped, such as
	// the additive bias of an Attention and the position ids of an embedding, or written, which every runtime refuses.
	LostOperand Departure = "lost-operand"
	// MissingMaskOutput: a QEmbedLayerNormalization is written without its second
	// output, which the operator must have.
	MissingMaskOutput Departure = "missing-mask-output"
	// SharedGates: weights that two LSTMs read are transposed twice, and other
	// readers get the transposed ones.
	SharedGates Departure = "shared-gates"
	// AsymmetricGates: an LSTM's weights get zero points for each channel, and the
	// kernel takes none but 0.
	AsymmetricGates Departure = "asymmetric-gates"
	// OpsetTen: a model of opset 10 gets nodes that find the range of a value without
	// 0 in it, so that the zero point wraps around where all numbers have one sign.
	OpsetTen Departure = "opset-ten"
	// OpsetConverter: a model below opset 10 goes through the version converter of
	// the onnx package, which names what it adds by counting, drops what it does not
	// know, and refuses many models.
	OpsetConverter Departure = "opset-converter"
	// SparseConstant: a model with a sparse constant ends the run.
	SparseConstant Departure = "sparse-constant"
	// UnrestoredOperand: of what an LSTM, Attention or Conv reads in float32, such as
	// a bias, nothing is dequantized where it exists only quantized.
	UnrestoredOperand Departure = "unrestored-operand"
	// BatchFirst: the layout of an LSTM is dropped, and what it reads is taken for a
	// sequence of other batches.
	BatchFirst Departure = "batch-first"
	// FunctionBody: what functions of the model consist of is left in float32.
	FunctionBody Departure = "function-body"
	// AlreadyQuantized: of a node whose weight comes out of a DequantizeLinear, that weight
	// is quantized once more, while the model runs.
	AlreadyQuantized Departure = "already-quantized"
)

// Departures say for each what happens here.
var Departures = departure.Table{
	SharedTransposedWeight: "a weight that several Gemms transpose, or that is read otherwise too, is transposed once, into a copy",
	TransposedValueInfo:    "the shape that value_info states for a weight is dropped where the weight is transposed",
	PerChannelRank:         "a weight that is no matrix has one scale, not one for each channel",
	PerChannelActivation:   "a weight with a scale for each channel is quantized once more, or read in float32, where one scale is expected",
	PerChannelOpset:        "a weight with a scale for each channel stays in float32 for its other readers, because operators know no axis before opset 13",
	RangeOverflow:          "the width of a weight's range is beyond float32 and is computed in float64",
	EmptyWeight:            "a weight without elements stays as it is",
	NameCollision:          "new names that the model has already get a number",
	DuplicateNodeName:      "nodes of one name are told apart",
	ConstantNode:           "the output of a Constant node is taken for a weight",
	UntouchedGemm:          "a Gemm that is not quantized stays a Gemm",
	EmptyBias:              "a Gemm whose third input is left out gets no Add",
	ForeignDomain:          "an operator of another domain is not taken for the standard one of its name",
	CapturedValue:          "what a body reads is there in float32",
	Float16:                "a weight in float16 stays as it is",
	WrongType:              "a weight of integers beside floats stays as it is",
	RaisedIRVersion:        "the IR version is raised to one whose initializers need not be inputs",
	Unsorted:               "nodes are put in order first",
	WeightElsewhere:        "a Conv with a bias, or an LSTM, is quantized where its weight comes from around the body, or is computed",
	LostOperand:            "a node stays as it is that has an input or attribute which its quantized form lacks, or lacks one which that needs",
	MissingMaskOutput:      "the second output of a quantized embedding has a name, which it needs",
	SharedGates:            "weights of an LSTM that are read otherwise too are quantized apart",
	AsymmetricGates:        "weights of an LSTM with a scale for each channel are symmetric",
	OpsetTen:               "a model of opset 10 becomes one of opset 11",
	OpsetConverter:         "attributes that became inputs up to opset 11 are constants named after the node's output",
	SparseConstant:         "a sparse constant is a value like those that are computed",
	BatchFirst:             "an LSTM with the batch first is quantized between Transposes",
	FunctionBody:           "calls of functions become what these consist of, which is quantized like the rest",
	AlreadyQuantized:       "a node whose weight comes from a DequantizeLinear stays as it is",
	UnrestoredOperand:      "what a quantized node reads in float32 is there in float32",
}

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
