package half

import "lathe/graphops/departure"

// Departure is a point on which the result differs on purpose from what the
// reference, onnxruntime.transformers.float16, makes of the same model. A report lists
// those that a model brought up; without any, the result is the reference's but for
// the names of what is new and the order of nodes, which the reference leaves unsorted.
type Departure = departure.Departure

// The departures. Each says what the reference does; what happens here instead
// follows from it.
const (
	// SharedCast: two nodes in float32 that read one value get a Cast each, both of
	// one name.
	SharedCast Departure = "shared-cast"
	// BodyCast: the Casts of a node in a body stand in the main graph, where the value
	// is not defined.
	BodyCast Departure = "body-cast"
	// RoundedBetween: what one node in float32 makes for another is rounded to float16
	// in between, or becomes infinite.
	RoundedBetween Departure = "rounded-between"
	// KeptBody: the body of a node in float32 is left alone, but what it reads from
	// around it is in float16.
	KeptBody Departure = "kept-body"
	// ConstantForm: a Constant whose value is no tensor stays in float32, and is
	// declared as float16.
	ConstantForm Departure = "constant-form"
	// KeptConstant: a Constant node is rounded to float16 even where it is read in
	// float32 only, as the scales of a Resize, whose sizes become others.
	KeptConstant Departure = "kept-constant"
	// ImplicitType: a ConstantOfShape without a value, and other nodes that make
	// float32 unless told otherwise, or are told to by output_datatype, still do, and are
	// declared as float16.
	ImplicitType Departure = "implicit-type"
	// SchemaType: inputs and outputs that the operator's definition has in float32
	// alone, or that an attribute does, become float16.
	SchemaType Departure = "schema-type"
	// MissingKernel: a node that draws numbers, or makes others of nothing, is told to
	// make float16 where ONNX Runtime has no kernel for that, and cannot cast around it.
	MissingKernel Departure = "missing-kernel"
	// UnknownOperator: a node that nothing is known of gets float16.
	UnknownOperator Departure = "unknown-operator"
	// UndeclaredType: values whose type neither the file nor the standard's inference
	// tells are not cast.
	UndeclaredType Departure = "undeclared-type"
	// FunctionBody: what functions of the model consist of is left in float32, and
	// called with float16.
	FunctionBody Departure = "function-body"
	// SequenceCast: a sequence is cast like a tensor.
	SequenceCast Departure = "sequence-cast"
	// OutputWeight: a weight that is an output stays in float32, and is declared as
	// float16.
	OutputWeight Departure = "output-weight"
	// InputWeight: a weight that is an input too stays in float32 where inputs keep
	// their type, and is cast whenever the model runs.
	InputWeight Departure = "input-weight"
	// ShadowedName: two graphs that have a constant of one name end the conversion, or
	// values of one name in several graphs are taken for one.
	ShadowedName Departure = "shadowed-name"
	// QuantizedNode: in a quantized model, scales are rounded to float16, sums of integers
	// become infinite in it, and what lies between codes is computed in float16.
	QuantizedNode Departure = "quantized-node"
	// IdleCast: a Cast from float32 to float16, or back, is left where both are float16.
	IdleCast Departure = "idle-cast"
	// SparseConstant: a sparse constant stays in float32, and is read as float16.
	SparseConstant Departure = "sparse-constant"
	// OverruledConstant: constants that a later one of their name stands above are kept
	// and converted, too.
	OverruledConstant Departure = "overruled-constant"
	// NameCollision: new values and nodes get names without regard to those that the
	// model has.
	NameCollision Departure = "name-collision"
)

// Departures say for each what happens here.
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
