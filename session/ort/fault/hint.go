package fault

import (
	"fmt"
	"strings"

	"lathe/graphops/check"
)

// hints say what can be done about a kind of fault.
var hints = map[Kind]string{
	MissingOpset:     "add the domain to the model's opset imports",
	NoKernel:         "cast its inputs to a type that has one, such as f32, or use an execution provider that implements it",
	FunctionInvalid:  "look at the model-local functions",
	TypeMismatch:     "insert a Cast, or correct the declared type",
	TypeRefused:      "insert a Cast before it",
	BodyMismatch:     "compare the inputs and outputs of the body with those of the node",
	OperandCount:     "compare the node with the operator's definition in the model's opset",
	OperandMissing:   "connect it",
	AttributeMissing: "set it",
	AttributeUnknown: "remove it, or raise the model's opset to one that has it",
	AttributeInvalid: "set it to a value that the operator takes",
	ValueUndefined:   "rename it to a value that exists, make it a graph input, or put weights that were saved apart back with lathe export --weights",
	ValueUntyped:     "declare its type",
	DuplicateName:    "rename one of them",
	OpsetUnsupported: "install a newer runtime, or convert the model to an older opset",
	IRUnsupported:    "install a newer runtime, or lower the model's IR version",
	ExternalData:     "put the data file beside the model, whole",
	ConstantInvalid:  "export the model again: the file is damaged",
	OutOfMemory:      "smaller inputs, or a smaller batch, need less",
	DeviceFailed:     "run on the CPU to see whether the model or the device is at fault",
	OptimizerFailed:  "--opt disable leaves them out",
	ProviderFailed:   "install the library that is missing, in the version that the provider was built for",
	FeedType:         "give it the type that the model declares",
	FeedShape:        "give it the shape that the model declares, or free the axis",
}

// hint is that of the kind, unless the case calls for a better one.
func (e *explainer) hint() string {
	f := e.Fault
	switch {
	case f.Kind == NoKernel && e.firstVersion() > 0:
		return fmt.Sprintf("carry the model over to opset %d or a newer one, as \"lathe export --opset\" does", e.firstVersion())
	case f.Kind == LocaleMissing:
		return check.LocaleRemedy(f.Found)
	case f.Kind == UnknownOperator && !isBuiltIn(f.Domain):
		return "name the library that provides it with --custom-ops"
	case f.Kind == UnknownOperator && f.Found != "":
		return "check the operator's name, or raise the model's opset"
	case f.Kind == UnknownOperator:
		return "install a newer runtime, or check the operator's name"
	case f.Kind == TypeRefused && e.madeOfPairs():
		return fmt.Sprintf("load it with --opt basic, or --session-config session.disable_quant_qdq=1: the runtime makes %s of the node and of the pairs of QuantizeLinear and DequantizeLinear around it", f.Node.Op)
	case f.Stage == Running && (f.Kind == ShapeMismatch || f.Kind == ValueInvalid || f.Kind == IndexOutOfRange):
		return "look at the values that it reads: run up to there"
	}
	return hints[f.Kind]
}

// madeOfPairs reports whether the operator is one on integers that the runtime has made of a
// node of the model.
func (e *explainer) madeOfPairs() bool {
	op := e.Fault.Node.Op
	return strings.HasPrefix(op, "QLinear") && len(e.Sites) == 1 && e.Sites[0].Node().OpType() != op
}
