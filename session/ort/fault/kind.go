package fault

// Kind says what sort of thing is wrong. The set is closed: Kinds lists it.
type Kind string

// The kinds of fault.
const (
	// Unrecognized is a text of no known form; Fault.Message has it whole.
	Unrecognized Kind = ""

	// Operators and their domains.
	UnknownOperator Kind = "unknown-operator" // no library brings it, in this opset or at all
	MissingOpset    Kind = "missing-opset"    // the model does not import the domain
	NoKernel        Kind = "no-kernel"        // known, but not implemented for these types
	FunctionInvalid Kind = "function-invalid" // a model-local function, or a call of one

	// Types and shapes, while loading or running.
	TypeMismatch  Kind = "type-mismatch"  // two types that must be one
	TypeRefused   Kind = "type-refused"   // a type that the operator does not take
	ShapeMismatch Kind = "shape-mismatch" // shapes or ranks that do not fit
	BodyMismatch  Kind = "body-mismatch"  // a body does not fit the node that holds it

	// What a node says of itself.
	OperandCount     Kind = "operand-count"     // too many or too few inputs or outputs
	OperandMissing   Kind = "operand-missing"   // a required one is left out
	AttributeMissing Kind = "attribute-missing" //
	AttributeUnknown Kind = "attribute-unknown" //
	AttributeInvalid Kind = "attribute-invalid" // of a wrong type or value, or there twice

	// Names and links.
	ValueUndefined Kind = "value-undefined" // nothing makes it
	ValueUntyped   Kind = "value-untyped"   // an input says no type
	DuplicateName  Kind = "duplicate-name"
	Cycle          Kind = "cycle"

	// The file.
	OpsetUnsupported Kind = "opset-unsupported"
	IRUnsupported    Kind = "ir-unsupported"
	NotAModel        Kind = "not-a-model"
	FileMissing      Kind = "file-missing"
	ExternalData     Kind = "external-data" // a weight in another file
	ConstantInvalid  Kind = "constant-invalid"

	// What a run met.
	IndexOutOfRange Kind = "index-out-of-range"
	AxisOutOfRange  Kind = "axis-out-of-range"
	ValueInvalid    Kind = "value-invalid" // an input holds what the operator does not take
	OutOfMemory     Kind = "out-of-memory"
	DeviceFailed    Kind = "device-failed" // CUDA and its libraries
	ProviderFailed  Kind = "provider-failed"
	Canceled        Kind = "canceled"
	InferenceFailed Kind = "inference-failed" // of types and shapes, for another reason
	OperatorFailed  Kind = "operator-failed"  // a kernel, for another reason

	// What is not in the model.
	OptimizerFailed Kind = "optimizer-failed" // a graph optimization breaks a model that runs without
	LocaleMissing   Kind = "locale-missing"   // on the machine that runs the model

	// What a run was given.
	FeedName  Kind = "feed-name" // an input, or an asked-for output, of no such name, or one left out
	FeedType  Kind = "feed-type"
	FeedShape Kind = "feed-shape"
)

// Kinds are all kinds but Unrecognized.
var Kinds = []Kind{
	UnknownOperator, MissingOpset, NoKernel, FunctionInvalid,
	TypeMismatch, TypeRefused, ShapeMismatch, BodyMismatch,
	OperandCount, OperandMissing, AttributeMissing, AttributeUnknown, AttributeInvalid,
	ValueUndefined, ValueUntyped, DuplicateName, Cycle,
	OpsetUnsupported, IRUnsupported, NotAModel, FileMissing, ExternalData, ConstantInvalid,
	IndexOutOfRange, AxisOutOfRange, ValueInvalid, OutOfMemory, DeviceFailed, ProviderFailed,
	Canceled, InferenceFailed, OperatorFailed, OptimizerFailed, LocaleMissing, FeedName, FeedType, FeedShape,
}
