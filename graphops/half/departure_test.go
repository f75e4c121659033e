package half

// Departure is a point in which the result differs on purpose from that of the reference,
// onnxruntime.transformers.float16. Models in these tests name those that they show. Otherwise the
// result equals that of the reference, except for the names of new nodes and values, and the order
// of nodes, which the reference does not sort topologically.
type Departure string

// The departures. Each comment describes what the reference does; departures below describes what
// happens here instead.
const (
	// SharedCast: if two float32 nodes read a value, each gets its own Cast, and both Casts have
	// the same name.
	SharedCast Departure = "shared-cast"
	// BodyCast: the Casts for a node in a body are put into the main graph. If the body defines the
	// value itself, the Cast reads a value that does not exist there.
	BodyCast Departure = "body-cast"
	// RoundedBetween: if a float32 node reads the output of another float32 node, the value is
	// rounded to float16 in between. It can become infinite.
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
	// ImplicitType: some nodes produce float32 unless an attribute states another type, for example
	// a ConstantOfShape without a value, or a node with the attribute output_datatype. The
	// reference leaves these nodes as they are, but declares their outputs as float16.
	ImplicitType Departure = "implicit-type"
	// SchemaType: inputs and outputs of nodes become float16 even if the schema of the operator, or
	// an attribute, allows only float32.
	SchemaType Departure = "schema-type"
	// MissingKernel: nodes that create numbers, such as random ones, and other nodes without a
	// float input, are set to float16 even if ONNX Runtime has no kernel for it. ONNX Runtime
	// cannot insert Casts there.
	MissingKernel Departure = "missing-kernel"
	// UnknownOperator: nodes whose operator is unknown get float16 inputs.
	UnknownOperator Departure = "unknown-operator"
	// UndeclaredType: no Casts are inserted for values whose type is neither declared in the file
	// nor inferred by onnx.
	UndeclaredType Departure = "undeclared-type"
	// FunctionBody: nodes in functions of the model stay in float32, but the functions are called
	// with float16.
	FunctionBody Departure = "function-body"
	// SequenceCast: a Cast is inserted for a sequence, which no Cast accepts.
	SequenceCast Departure = "sequence-cast"
	// OutputWeight: a weight that is also a graph output stays in float32 but is declared as
	// float16.
	OutputWeight Departure = "output-weight"
	// InputWeight: if inputs keep their type, a weight that is also an input stays in float32 and
	// is cast in each run.
	InputWeight Departure = "input-weight"
	// ShadowedName: if constants in two graphs have the same name, the conversion fails. If other
	// values in several graphs have the same name, they are treated as one value.
	ShadowedName Departure = "shadowed-name"
	// QuantizedNode: in a quantized model, scales are rounded to float16, sums of integers can
	// become infinite in float16, and nodes between a DequantizeLinear and a QuantizeLinear compute
	// in float16.
	QuantizedNode Departure = "quantized-node"
	// IdleCast: a Cast between float32 and float16 is kept even if its input and its output are
	// both float16 after the conversion.
	IdleCast Departure = "idle-cast"
	// SparseConstant: a sparse constant stays in float32 but is read as float16.
	SparseConstant Departure = "sparse-constant"
	// OverruledConstant: an initializer that has no effect, because a later one has the same name,
	// is kept and converted.
	OverruledConstant Departure = "overruled-constant"
	// NameCollision: new values and nodes can get a name that the model already uses.
	NameCollision Departure = "name-collision"
)

// departures says for each departure what this package does.
var departures = map[Departure]string{
	SharedCast:        "a value is cast once for all nodes of a graph that need it in float32",
	BodyCast:          "the Casts of a node in a body are inserted in that body",
	RoundedBetween:    "a value that one float32 node passes to another is not rounded in between",
	KeptBody:          "the body of a float32 node stays in float32, and the values that it reads are cast",
	ConstantForm:      "a Constant with a number or a list becomes one with a tensor in the target type",
	KeptConstant:      "a Constant that only float32 nodes read stays in float32",
	ImplicitType:      "a node that produces float32 unless an attribute states another type gets the attribute",
	SchemaType:        "inputs and outputs that can only be float32 stay in float32",
	MissingKernel:     "a node that creates numbers, and for which ONNX Runtime has no kernel in the target type, stays in float32",
	UnknownOperator:   "a node of an unknown operator stays in float32",
	UndeclaredType:    "values of operators outside the standard are also cast if needed",
	FunctionBody:      "functions of the model are converted",
	SequenceCast:      "all sequences stay in float32 if a float32 node reads or produces one",
	OutputWeight:      "a weight that is an output has the type of the output",
	InputWeight:       "a weight that is also an input is converted even if inputs keep their type",
	ShadowedName:      "values with the same name in several graphs are distinguished",
	QuantizedNode:     "nodes that quantize or dequantize stay in float32, and so do the nodes between quantized values",
	IdleCast:          "a Cast whose input has become the type that it casts to is removed",
	SparseConstant:    "a sparse constant is cast",
	OverruledConstant: "constants that a later one of the same name replaces are removed",
	NameCollision:     "new names that the model already uses get a number",
}
