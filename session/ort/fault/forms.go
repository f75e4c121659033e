package fault

import (
	"regexp"
	"slices"
	"sync"
)

// form is a regular expression for the message of one fault in the runtime, and the kind of that
// fault. Its named groups are the facts in the message. Each name is a key of fillers, which stores
// the matched text.
type form struct {
	kind Kind
	re   *regexp.Regexp
}

// forms are the expressions for all known messages. The first that matches is used, so specific
// expressions come before general ones.
var forms = sync.OnceValue(func() []form {
	var out []form
	for _, w := range slices.Concat(loadWords, fileWords, feedWords, deviceWords(), machineWords, runWords) {
		out = append(out, form{w.kind, regexp.MustCompile(`(?s)` + w.expr)})
	}
	return out
})

// words is a form whose expression is not compiled yet.
type words struct {
	kind Kind
	expr string
}

// loadWords are messages about the model itself: operators, types, shapes, names.
var loadWords = []words{
	{UnknownOperator, `Fatal error: (?P<domain>[^:]*):(?P<op>[^:(]+)\(-?\d+\) is not a registered function/op`},
	{UnknownOperator, `No Op registered for (?P<op>\S+) with domain_version of (?P<found>-?\d+)`},
	{MissingOpset, `No opset import for domain '?(?P<domain>.*?)'?$`},
	{MissingOpset, `No opset registered for domain (?P<domain>\S+) in function opset imports`},
	{MissingOpset, `No opset registered for domain (?P<domain>\S+) in function (?P<op>\S+)`},
	{MissingOpset, `Missing opset in the model`},
	{NoKernel, `Could not find an implementation for (?P<op>[^\s(]+)\((?P<since>\d+)\) node with name '(?P<node>.*)'`},

	{FunctionInvalid, `Model local function definitions must not be recursive\. Cycle detected: (?P<value>\S+)`},
	{FunctionInvalid, `Duplicate model-local function identifier: (?P<value>\S+)`},
	{FunctionInvalid, `Number of actual parameters cannot exceed number of formal parameters`},

	{TypeMismatch, `Type parameter \(\S*?\) of Optype \((?P<op>\S+?)\) bound to different types \((?P<found>.+?) and (?P<want>.+?) in node \((?P<node>.*)\)\.`},
	{TypeMismatch, `Type \((?P<found>\S+?)\) of output arg \((?P<value>.*?)\) of node \((?P<node>.*)\) does not match expected type \((?P<want>\S+)\)\.`},
	{TypeMismatch, `Data in initializer '(?P<value>.*?)' has element type (?P<found>\S+) but usage of initializer in graph expects (?P<want>\S+)`},
	{TypeMismatch, `Mismatched tensor element type: inferred=(?P<found>\w+) declared=(?P<want>\w+)`},
	{TypeMismatch, `Input element type of (?P<foundno>\d+) does not match existing output type of (?P<wantno>\d+)`},
	{TypeMismatch, `has inconsistent type (?P<found>\S+)`},
	{TypeRefused, `Type '(?P<found>.*?)' of input parameter \((?P<value>.*?)\) of operator \((?P<op>.*?)\) in node \((?P<node>.*)\) is invalid`},

	{BodyMismatch, `validating subgraph inputs\. Got (?P<found>\d+) inputs but subgraph has \d+ inputs and requires (?P<want>\d+) inputs`},
	{BodyMismatch, `Graph attribute inferencing returned type information for (?P<found>\d+) outputs\. Expected (?P<want>\d+)`},
	{BodyMismatch, `then_branch and else_branch produce different number of outputs\. (?P<found>\d+) != (?P<want>\d+)`},

	{OperandCount, `has (?P<side>input|output) size (?P<found>\d+) not in range \[min=(?P<min>\d+), max=(?P<max>\d+)\]`},
	{OperandMissing, `'s (?P<side>input|output) (?P<at>\d+) is marked single but has an empty string`},
	{AttributeMissing, `(?:Required a|A)ttribute '(?P<attr>.*?)' is (?:missing|expected to have field)`},
	{AttributeMissing, `Required attribute (?P<attr>\w+) is missing`},
	{AttributeMissing, `Missing '(?P<attr>\w+)' attribute|Attribute (?P<attr>\w+) is required`},
	{AttributeMissing, `One of the attributes 'value' or 'sparse_value' must be specified`},
	{AttributeMissing, `Constant node: (?P<node>.*) has no data attributes`},
	{AttributeUnknown, `Unrecognized attribute: (?P<attr>\S+) for operator (?P<op>\S+)`},
	{AttributeInvalid, `Mismatched attribute type in '.* : (?P<attr>.*?)'\. Expected: '(?P<want>\w+)', actual: '(?P<found>\w+)'`},
	{AttributeInvalid, `Attribute '(?P<attr>.*?)' appeared multiple times`},
	{AttributeInvalid, `Invalid attribute (?P<attr>\w+) (?P<raw>\{.*?\}), input shape = `},
	{AttributeInvalid, `Attribute (?P<attr>\w+) (?:has incorrect size|does not specify a valid type)`},
	{AttributeInvalid, `Invalid value ?\((?P<found>.*?)\) for attribute '(?P<attr>\w+)'`},
	{AttributeInvalid, `(?P<attr>\w+) attribute is (?P<found>.*?)\. It can only be (?P<want>.*?)\.`},
	{AttributeInvalid, `Unknown (?P<autopad>AutoPadType) String`},
	{AttributeInvalid, `Invalid '(?P<attr>\w+)' argument of '(?P<found>.*?)'`},
	{AttributeInvalid, "Attribute `?(?P<attr>\\w+)`? (?:must|value cannot)"},
	{AttributeInvalid, `Blocksize must be positive`},
	{AttributeInvalid, `^(?P<attr>\w+?)_?(?:\[\w+\])? >=? 0 was false`},

	{ValueUndefined, `Node input '(?P<value>.*)' is not a graph input, initializer, or output of a previous node`},
	{ValueUndefined, `input '(?P<value>.*?)' of node: ?\nname: (?P<node>.*?) OpType: (?P<op>\S+)\n ?is not output of any previous nodes`},
	{ValueUndefined, `Graph output \((?P<value>.*)\) does not exist in the graph`},
	{ValueUndefined, `Failed to find NodeArg in all parent graphs\. Name=(?P<value>.*)`},
	{ValueUndefined, `At top level graph without matching NodeArg that subgraph consumes\. Name=(?P<value>.*?)(?: Graph may not|$)`},
	{DuplicateName, `Duplicate definition(?:-site for| of name) \((?P<value>.*)\)\.`},
	{DuplicateName, `two nodes with same node name \((?P<node>.*)\)\.`},
	{Cycle, `the graph is not acyclic`},

	{ShapeMismatch, `Shape of initializer (?P<value>.*?) does not match\. (?P<want>\{.*?\}) != (?P<found>\{.*?\})`},
	{ShapeMismatch, `[Mm]ismatch between number of inferred and declared dimensions\. inferred=(?P<found>\d+) declared=(?P<want>\d+)`},
	{ShapeMismatch, `Inferred=(?P<found>\d+) Declared=(?P<want>\d+) Dimension=(?P<axis>\d+)`},
	{ShapeMismatch, `Dimension mismatch in unification between (?P<found>\d+) and (?P<want>\d+)`},
	{ShapeMismatch, `Input (?P<input>\d+) expected to have rank (?P<want>\d+) but has rank (?P<found>\d+)`},
	{ShapeMismatch, `Dimension of input (?P<axis>\d+) must be (?P<want>\d+) instead of (?P<found>\d+)`},
	{ShapeMismatch, `Rank of input (?P<input>\d+) \((?P<found>\d+)\) does not match the equation indices \((?P<want>\d+)\)`},
	{ShapeMismatch, `spatial dimensions in the weight tensor \((?P<found>\d+)\) does not match .* in the input tensor \((?P<want>\d+)\)`},
	{ShapeMismatch, `sum of 'split' \((?P<found>\d+)\) and the split dimension of the input \((?P<want>\d+)\)`},
	{ShapeMismatch, `First input does not have rank (?P<want>\d+)`},
}

// fileWords are messages about the file, its versions and its constants.
var fileWords = []words{
	{OpsetUnsupported, `Opset (?P<found>\d+) is under development.*?for domain (?P<opset>\S+) is till opset (?P<want>\d+)`},
	{IRUnsupported, `Unsupported model IR version: (?P<found>-?\d+), max supported IR version: (?P<want>\d+)`},
	{IRUnsupported, `Missing model IR version`},
	{NotAModel, `Protobuf parsing failed|does not have a graph|No graph was found in the protobuf`},
	{FileMissing, `Load model (?:from )?(?P<file>.*) failed\. File doesn't exist`},

	{ExternalData, `External initializer: (?P<value>.*?) offset: (?:-?\d+) size to read: (?P<want>\d+) given file_length: (?P<found>\d+)`},
	{ExternalData, `TensorProto: (?P<value>.*?) external data size mismatch\. Computed size: (?P<want>\d+), external_data\.length: (?P<found>\d+)`},
	{ExternalData, `External data path does not exist: "?(?P<file>[^"]*)"?`},
	{ExternalData, `filesystem error: cannot get file size: .*? \[(?P<file>.*)\]`},
	{ExternalData, `External data path: "(?P<file>.*?)"`},
	{ExternalData, `regular file: (?P<file>.*)`},
	{ExternalData, `Absolute paths? not allowed for external data|model format error! Missing 'location'`},

	{ConstantInvalid, `Tensor '(?P<value>.*?)' does not have valid data type`},
	{ConstantInvalid, `Tensor: (?P<value>.*?) does not have sufficient raw_data\. Required bytes: (?P<want>\d+), actual bytes: (?P<found>\d+)`},
	{ConstantInvalid, `Initializer '(?P<value>.*?)': raw_data size \((?P<found>\d+) bytes\) does not match expected size from shape and data type \((?P<want>\d+) bytes\)`},
	{ConstantInvalid, `Tensor does not have type information|Out of bounds dimensions in TypeProto_Tensor`},
	{ValueUntyped, `Model input \((?P<value>.*)\) does not have type information`},
}

// feedWords are messages about the inputs that a run was given and the outputs that were requested
// from it.
var feedWords = []words{
	{FeedType, `Unexpected input data type\. Actual: \((?P<found>.*?)\) , expected: \((?P<want>.*?)\)$`},
	{FeedShape, `Invalid rank for input: (?P<value>.*) Got: (?P<found>\d+) Expected: (?P<want>\d+)`},
	{FeedShape, `Got invalid dimensions for input: (?P<value>.*) for the following indices\s+index: (?P<axis>\d+) Got: (?P<found>-?\d+) Expected: (?P<want>-?\d+)`},
	{FeedName, `Missing Input: (?P<value>.*)`},
	{FeedName, `Invalid (?:in|out)put name: ?(?P<value>.*)`},
	{FeedName, `Invalid Feed Input Name: ?(?P<value>.*)`},
	{Canceled, `terminate flag|canceled (?:due to|by) user request`},
}
