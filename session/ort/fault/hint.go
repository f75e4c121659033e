package fault

import (
	"fmt"
	"strings"

	"lathe/graphops/opschema"
)

// hints maps kinds of fault to what the user can do about them.
var hints = map[Kind]string{
	MissingOpset:     "add the domain to the model's opset imports",
	NoKernel:         "cast its inputs to a type that the runtime implements, such as f32, or use an execution provider that implements this type",
	FunctionInvalid:  "check the definitions of the model-local functions and the nodes that call them",
	TypeMismatch:     "insert a Cast, or correct the declared type",
	TypeRefused:      "insert a Cast before it",
	BodyMismatch:     "compare the inputs and outputs of the body with those of the node",
	OperandCount:     "compare the node with the operator's definition in the model's opset",
	OperandMissing:   "connect it",
	AttributeMissing: "set it",
	AttributeUnknown: "remove it, or raise the model's opset to one that has it",
	AttributeInvalid: "set it to a value that the operator accepts",
	ValueUndefined:   "rename it to a value that exists, make it a graph input, or restore weights that were saved separately with lathe export --weights",
	ValueUntyped:     "declare its type",
	DuplicateName:    "rename one of them",
	OpsetUnsupported: "install a newer runtime, or convert the model to an older opset",
	IRUnsupported:    "install a newer runtime, or lower the model's IR version",
	ExternalData:     "put the complete data file beside the model",
	ConstantInvalid:  "export the model again: the file is damaged",
	OutOfMemory:      "use smaller inputs or a smaller batch",
	DeviceFailed:     "run on the CPU to see whether the model or the device is at fault",
	OptimizerFailed:  "use --opt disable to run without them",
	ProviderFailed:   "install the library that is missing, in the version that the provider was built for",
	FeedType:         "give it the type that the model declares",
	FeedShape:        "give it the shape that the model declares, or make the axis dynamic",
}

// hint returns what the user can do about the fault. If the details of the fault allow a more
// specific hint than the kind has, it returns that one.
func (e *explainer) hint() string {
	f := e.Fault
	switch {
	case f.Kind == NoKernel && f.Node.Op == compiledOp:
		return e.hintCompiled()
	case f.Kind == NoKernel && e.firstVersion() > 0:
		return fmt.Sprintf("convert the model to opset %d or a newer one with \"lathe export --opset\"", e.firstVersion())
	case f.Kind == LocaleMissing:
		return opschema.LocaleRemedy(f.Found)
	case f.Kind == UnknownOperator && !isBuiltIn(f.Domain):
		return "name the library that provides it with --custom-ops"
	case f.Kind == UnknownOperator && f.Found != "":
		return "check the operator's name, or raise the model's opset"
	case f.Kind == UnknownOperator:
		return "install a newer runtime, or check the operator's name"
	case f.Kind == TypeRefused && e.madeOfPairs():
		return fmt.Sprintf("load it with --opt basic, or --session-config session.disable_quant_qdq=1: the runtime combined the node and the QuantizeLinear and DequantizeLinear nodes around it into %s", f.Node.Op)
	case f.Stage == Running && (f.Kind == ShapeMismatch || f.Kind == ValueInvalid || f.Kind == IndexOutOfRange):
		return "look at the values that it reads: run the model up to this node"
	}
	return hints[f.Kind]
}

// compiledOp is the operator of a node with a part of a model that an execution provider has compiled.
const compiledOp = "EPContext"

// compiler returns the execution provider that compiled the node at fault, in the form for --ep, or "".
func (e *explainer) compiler() string {
	if len(e.Sites) > 0 {
		c, _ := e.Sites[0].Node().Compiled()
		return opschema.ShortProvider(c.Source)
	}
	return opschema.ShortProvider(e.Fault.Wanted)
}

// hintCompiled says with which execution provider a compiled node can be loaded.
func (e *explainer) hintCompiled() string {
	with := "with the provider that compiled it"
	if name := e.compiler(); name != "" {
		with = "with --ep " + name
	}
	return "load the model " + with + ", or use the model that it was compiled from"
}

// madeOfPairs reports whether the node at fault has a quantized operator, such as QLinearConv,
// which the runtime created from a node with DequantizeLinear before and QuantizeLinear after it.
func (e *explainer) madeOfPairs() bool {
	op := e.Fault.Node.Op
	return strings.HasPrefix(op, "QLinear") && len(e.Sites) == 1 && e.Sites[0].Node().OpType() != op
}
