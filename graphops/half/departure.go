package half

import "lathe/graphops/departure"

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.transformers.float16, for the same model. A report lists those that matter for its
// model. With none, the result equals that of the reference except for the names of new nodes and
// values and the order of nodes, which the reference leaves unsorted.
type Departure = departure.Departure

// The departures. Each comment describes what the reference does; Departures below describes what
// happens here instead.
const (
	// SharedCast: if two float32 nodes read a value, each gets its own Cast, and both Casts have
	// the same name.
	SharedCast Departure = "shared-cast"
	// BodyCast: the Casts for a node in a body are put into the main graph, where the value is not
	// defined.
	BodyCast Departure = "body-cast"
	// RoundedBetween: a value that one float32 node produces for another is rounded to float16
	// between them, and can become infinite.
	RoundedBetween Departure = "rounded-between"
	// KeptBody: the body of a float32 node is not converted, but the values that it captures become
	// float16.
	KeptBody Departure = "kept-body"
	// ConstantForm: a Constant whose value is not a tensor stays in float32 but is declared as
	// float16.
	ConstantForm Departure = "constant-form"
	// KeptConstant: a Constant node is rounded to float16 even if only float32 nodes read it, as
	// with the scales of a Resize, which then computes other sizes.
	KeptConstant Departure = "kept-constant"
	// ImplicitType: nodes whose output type is float32 by default, such as a ConstantOfShape
	// without a value, or by the attribute output_datatype, still produce float32 but are declared
	// as float16.
	ImplicitType Departure = "implicit-type"
	// SchemaType: inputs and outputs become float16 even if the definition of the operator, or an
	// attribute, allows only float32.
	SchemaType Departure = "schema-type"
	// MissingKernel: nodes that generate random numbers or produce output without a float input are
	// set to float16 even if ONNX Runtime has no kernel for it and cannot insert Casts.
	MissingKernel Departure = "missing-kernel"
	// UnknownOperator: nodes with unknown operators are given float16.
	UnknownOperator Departure = "unknown-operator"
	// UndeclaredType: values whose type is neither declared in the file nor found by the inference
	// of the standard get no Casts.
	UndeclaredType Departure = "undeclared-type"
	// FunctionBody: nodes in functions of the model stay in float32, but the functions are called
	// with float16.
	FunctionBody Departure = "function-body"
	// SequenceCast: a sequence is cast like a tensor.
	SequenceCast Departure = "sequence-cast"
	// OutputWeight: a weight that is also a graph output stays in float32 but is declared as
	// float16.
	OutputWeight Departure = "output-weight"
	// InputWeight: if inputs keep their type, a weight that is also an input stays in float32 and
	// is cast in each run.
	InputWeight Departure = "input-weight"
	// ShadowedName: if two graphs have a constant of the same name, the conversion fails; if
	// several graphs have a value of the same name, they are treated as one value.
	ShadowedName Departure = "shadowed-name"
	// QuantizedNode: in a quantized model, scales are rounded to float16, sums of integers can
	// become infinite in float16, and nodes between a DequantizeLinear and a QuantizeLinear compute
	// in float16.
	QuantizedNode Departure = "quantized-node"
	// IdleCast: a Cast between float32 and float16 is kept even if both sides are float16 now.
	IdleCast Departure = "idle-cast"
	// SparseConstant: a sparse constant stays in float32 but is read as float16.
	SparseConstant Departure = "sparse-constant"
	// OverruledConstant: initializers that a later one of the same name replaces are kept and
	// converted too.
	OverruledConstant Departure = "overruled-constant"
	// NameCollision: new values and nodes are named without looking at the names in the model.
	NameCollision Departure = "name-collision"
)

// Departures describes what happens here for each departure.
var Departures = departure.Table{
	SharedCast:        "a value is cast once for all nodes of a graph that want it in float32",
	BodyCast:          "the Casts of a node in a body stand in that body",
	RoundedBetween:    "what goes from one node in float32 to another is not rounded in between",
	KeptBody:          "the body of a node in float32 stays in float32, and what it reads is cast",
	ConstantForm:      "a Constant of a number or a list becomes one of a tensor in the target type",
	KeptConstant:      "a Constant that is read in float32 only stays in float32",
	ImplicitType:      "a node that makes float32 unless told otherwise is told",
	SchemaType:        "inputs and outputs that can only be float32 stay so",
	MissingKernel:     "a node that makes numbers, for which ONNX Runtime has no kernel in the target type, stays in float32",
	UnknownOperator:   "a node of an unknown operator stays in float32",
	UndeclaredType:    "values of operators beside the standard are cast where that is needed, too",
	FunctionBody:      "functions of the model are converted",
	SequenceCast:      "sequences stay in float32 where a node that stays in float32 handles one",
	OutputWeight:      "a weight that is an output has the type of the output",
	InputWeight:       "a weight that is an input too is converted even where inputs keep their type",
	ShadowedName:      "values of one name in several graphs are told apart",
	QuantizedNode:     "a node that makes codes or reads them, and what stands between codes, stays in float32",
	IdleCast:          "a Cast to the type that its input has become is gone",
	SparseConstant:    "a sparse constant is cast",
	OverruledConstant: "constants that a later one of their name stands above are gone",
	NameCollision:     "new names that the model has already get a number",
}

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
