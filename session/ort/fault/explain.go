package fault

import (
	"cmp"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// explain sets the explanation of a finding, which is the first line that a user reads, and the
// hint, which says what to do.
func explain(found *Finding) {
	e := explainer{found}
	say := explanations[found.Fault.Kind]
	if say == nil {
		say = (*explainer).inItsWords
	}
	text := say(&e)
	found.Quotes = found.Fault.Detail != "" && strings.Contains(text, found.Fault.Detail)
	if subject := e.subject(); subject != "" {
		text = subject + ": " + text
	}
	found.Explanation = text
	found.Hint = e.hint()
}

type explainer struct{ *Finding }

// subject returns the beginning of the explanation, which names the node at fault as precisely as
// it is known.
func (e *explainer) subject() string {
	n := e.Fault.Node
	switch {
	case ofValue[e.Fault.Kind]:
		return ""
	case len(e.Sites) == 1 && e.How == ByChangeName:
		return fmt.Sprintf("%s, which the runtime had turned into %q (%s)", e.Sites[0], n.Name, n.Op)
	case len(e.Sites) == 1:
		return e.Sites[0].String()
	case len(e.Sites) > 1:
		return fmt.Sprintf("one of %d nodes, the first of them %s", len(e.Sites), e.Sites[0])
	case n.Name != "" && n.Op != "":
		return fmt.Sprintf("%q (%s), a node that the model does not have", n.Name, n.Op)
	case n.Op != "" && e.Fault.Kind != UnknownOperator:
		return n.Op
	}
	return ""
}

// ofValue contains the kinds of fault whose explanation is about a value and not about a node.
var ofValue = map[Kind]bool{
	ExternalData: true, ConstantInvalid: true, ValueUntyped: true,
	FeedName: true, FeedType: true, FeedShape: true,
}

// explanations maps kinds of fault to functions that return the explanation. It is shown after the
// name of the node.
var explanations = map[Kind]func(*explainer) string{
	Unrecognized:     (*explainer).inItsWords,
	UnknownOperator:  (*explainer).unknownOperator,
	MissingOpset:     (*explainer).missingOpset,
	NoKernel:         (*explainer).noKernel,
	TypeMismatch:     (*explainer).typeMismatch,
	TypeRefused:      (*explainer).typeRefused,
	ShapeMismatch:    (*explainer).shapeMismatch,
	OperandCount:     (*explainer).operandCount,
	OperandMissing:   (*explainer).operandMissing,
	AttributeMissing: func(e *explainer) string { return "a required attribute is missing" + e.attribute() },
	AttributeUnknown: func(e *explainer) string { return "the operator has no such attribute" + e.attribute() },
	AttributeInvalid: (*explainer).attributeInvalid,
	ValueUndefined:   func(e *explainer) string { return e.value() + " is not defined by any node, input or initializer" },
	ValueUntyped:     func(e *explainer) string { return e.value() + " has no declared type" },
	DuplicateName:    (*explainer).duplicate,
	Cycle:            func(*explainer) string { return "nodes need each other's results: the graph has a cycle" },
	OpsetUnsupported: (*explainer).opset,
	IRUnsupported:    (*explainer).irVersion,
	NotAModel:        func(*explainer) string { return "the file is not an ONNX model, or it is damaged" },
	FileMissing:      func(e *explainer) string { return e.file() + " is not there" },
	ExternalData:     (*explainer).externalData,
	ConstantInvalid:  (*explainer).constant,
	IndexOutOfRange:  func(e *explainer) string { return "an index is out of range" + e.foundWanted("", " is outside of ") },
	AxisOutOfRange:   (*explainer).axis,
	OutOfMemory:      (*explainer).memory,
	Canceled:         func(*explainer) string { return "it was stopped" },
	OptimizerFailed: func(*explainer) string {
		return "the runtime's graph optimizations break the model, which works without them"
	},
	LocaleMissing: (*explainer).locale,
	FeedName:      func(e *explainer) string { return e.value() + " is missing, or is not an input or output of the model" },
	FeedType: func(e *explainer) string {
		return "an input was given the wrong type" + e.foundWanted("", ", expected ")
	},
	FeedShape: (*explainer).feedShape,
}

// inItsWords returns the runtime's own text. It is the explanation of faults for which Lathe has
// none.
func (e *explainer) inItsWords() string {
	return cmp.Or(e.Fault.Detail, "the runtime gives no reason")
}

func (e *explainer) value() string {
	if e.Fault.Value == "" {
		return "a value"
	}
	return fmt.Sprintf("value %q", e.Fault.Value)
}

func (e *explainer) file() string {
	if e.Fault.File == "" {
		return "the file"
	}
	return fmt.Sprintf("file %q", e.Fault.File)
}

func (e *explainer) attribute() string {
	if e.Fault.Attribute == "" {
		return ""
	}
	return fmt.Sprintf(": %q", e.Fault.Attribute)
}

// foundWanted returns a text such as ": f32 instead of i64", made of before, what the text says was
// found, between, and what it says was expected. It leaves out the last two if only the former is
// known, and returns "" if nothing is known.
func (e *explainer) foundWanted(before, between string) string {
	f := e.Fault
	switch {
	case f.Found != "" && f.Wanted != "":
		return ": " + before + f.Found + between + f.Wanted
	case f.Found != "":
		return ": " + before + f.Found
	}
	return ""
}

func (e *explainer) unknownOperator() string {
	f := e.Fault
	name := f.Node.Op
	if f.Domain != "" {
		name = f.Domain + "::" + name
	}
	switch {
	case f.Domain != "" && !isBuiltIn(f.Domain):
		return fmt.Sprintf("operator %q is of domain %q, which no loaded library provides", name, f.Domain)
	case f.Found != "":
		return fmt.Sprintf("operator %q does not exist in opset %s", name, f.Found)
	}
	return fmt.Sprintf("operator %q does not exist in this version of the runtime", name)
}

// isBuiltIn reports whether the operators of the domain are part of the runtime, so that no library
// of custom operators is needed.
func isBuiltIn(domain string) bool {
	switch graphops.NormalDomain(domain) {
	case graphops.DefaultDomain, "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training":
		return true
	}
	return domain == graphops.MicrosoftDomain || strings.HasPrefix(domain, graphops.MicrosoftDomain+".")
}

func (e *explainer) missingOpset() string {
	if e.Fault.Domain == "" {
		return "the model imports no operator set"
	}
	return fmt.Sprintf("the model imports no operator set of domain %q", e.Fault.Domain)
}

func (e *explainer) noKernel() string {
	if e.Fault.Node.Op == compiledOp {
		return fmt.Sprintf("is compiled for the execution provider %s; no other can run it", cmp.Or(e.compiler(), "that made it"))
	}
	if first := e.firstVersion(); first > 0 {
		return fmt.Sprintf("the runtime implements this operator as of opset %d and later, not as of opset %d", first, e.Fault.Node.Version)
	}
	return "the runtime knows the operator but has no implementation for these types" + e.inputs()
}

// firstVersion returns the oldest version of the operator for which the runtime has a CPU kernel,
// if the node's version is older. Otherwise it returns 0.
func (e *explainer) firstVersion() int64 {
	domain := e.Fault.Domain
	if len(e.Sites) > 0 {
		domain = e.Sites[0].Node().Domain()
	}
	versions := opschema.KernelVersions("", opschema.CPU, domain, e.Fault.Node.Op)
	if v := e.Fault.Node.Version; v == 0 || len(versions) == 0 || v >= versions[0] {
		return 0
	}
	return versions[0]
}

// maxListed is the largest number of inputs that an explanation names, and maxInputs the number of
// bytes that they may take, because an error is one line. Finding.Operands contains all of them.
const (
	maxListed = 6
	maxInputs = 240
)

// inputs returns ": " and the node's inputs with their types and origins, for the end of an
// explanation. It returns "" for a node with bodies, because a fault of such a node is usually
// about values inside.
func (e *explainer) inputs() string {
	if len(e.Sites) == 1 && len(e.Sites[0].Node().Graphs()) > 0 {
		return ""
	}
	var parts []string
	for _, o := range e.Operands {
		if o.Side == Input {
			parts = append(parts, o.String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	shown, size := 1, len(parts[0])
	for shown < min(len(parts), maxListed) && size+len(parts[shown]) <= maxInputs {
		size += len(parts[shown])
		shown++
	}
	if more := len(parts) - shown; more > 0 {
		parts = append(parts[:shown], fmt.Sprintf("and %d more", more))
	}
	return ": " + strings.Join(parts, ", ")
}

// String describes the operand by its name, its type and where it comes from.
func (o Operand) String() string {
	var facts []string
	if o.Type.Kind != graphops.TypeUnknown {
		facts = append(facts, typeText(o.Type))
	}
	if o.Side != Output {
		facts = append(facts, o.From.String())
	}
	if len(facts) == 0 {
		return fmt.Sprintf("%q", o.Name)
	}
	return fmt.Sprintf("%q (%s)", o.Name, strings.Join(facts, ", "))
}

// typeText returns a type as text, with the shape if it is a tensor: "f32 2×3".
func typeText(t graphops.Type) string {
	if t.Kind == graphops.TypeTensor {
		return t.String() + " " + t.Shape.String()
	}
	return t.String()
}
