package fault

// Kind says what kind of fault it is.
type Kind string

// The kinds of fault.
const (
	// Unrecognized is the kind of a fault whose text Parse does not know. Fault.Message contains
	// the complete text.
	Unrecognized Kind = ""

	// Operators and their domains.
	UnknownOperator Kind = "unknown-operator" // no library provides it, in this opset or at all
	MissingOpset    Kind = "missing-opset"    // the model does not import the domain
	NoKernel        Kind = "no-kernel"        // known, but not implemented for these types
	FunctionInvalid Kind = "function-invalid" // a model-local function, or a call of one

	// Types and shapes, while loading or running.
	TypeMismatch  Kind = "type-mismatch"  // two types that have to be equal
	TypeRefused   Kind = "type-refused"   // a type that the operator does not accept
	ShapeMismatch Kind = "shape-mismatch" // shapes or ranks that do not match
	BodyMismatch  Kind = "body-mismatch"  // a body does not match the node that contains it

	// Inputs, outputs and attributes of a node.
	OperandCount     Kind = "operand-count"     // too many or too few inputs or outputs
	OperandMissing   Kind = "operand-missing"   // a required input or output is left out
	AttributeMissing Kind = "attribute-missing" // a required attribute is not there
	AttributeUnknown Kind = "attribute-unknown" // the operator has no such attribute
	AttributeInvalid Kind = "attribute-invalid" // of a wrong type or value, or present twice

	// Names and connections.
	ValueUndefined Kind = "value-undefined" // no node, input or initializer defines it
	ValueUntyped   Kind = "value-untyped"   // an input without a type
	DuplicateName  Kind = "duplicate-name"
	Cycle          Kind = "cycle"

	// The file.
	OpsetUnsupported Kind = "opset-unsupported"
	IRUnsupported    Kind = "ir-unsupported"
	NotAModel        Kind = "not-a-model"
	FileMissing      Kind = "file-missing"
	ExternalData     Kind = "external-data" // a weight in another file
	ConstantInvalid  Kind = "constant-invalid"

	// Faults of a run.
	IndexOutOfRange Kind = "index-out-of-range"
	AxisOutOfRange  Kind = "axis-out-of-range"
	ValueInvalid    Kind = "value-invalid" // an input has values that the operator does not accept
	OutOfMemory     Kind = "out-of-memory"
	DeviceFailed    Kind = "device-failed" // CUDA and its libraries
	ProviderFailed  Kind = "provider-failed"
	Canceled        Kind = "canceled"
	InferenceFailed Kind = "inference-failed" // inference of types and shapes, for another reason
	OperatorFailed  Kind = "operator-failed"  // a kernel, for another reason

	// Causes outside of the model.
	// a graph optimization breaks a model that runs without it
	OptimizerFailed Kind = "optimizer-failed"
	LocaleMissing   Kind = "locale-missing" // on the machine that runs the model

	// Inputs of a run.
	// unknown name of an input or requested output, or an input without data
	FeedName  Kind = "feed-name"
	FeedType  Kind = "feed-type"
	FeedShape Kind = "feed-shape"
)
