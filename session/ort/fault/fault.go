package fault

import "strings"

// Fault contains the facts in an error text of ONNX Runtime. Fields for facts that the text does
// not state are empty. Names are as in the text and may contain any characters.
type Fault struct {
	Code    int    // OrtErrorCode
	Message string // the complete text
	Kind    Kind
	Stage   Stage

	// Node is the innermost node that the text names. Around lists the nodes whose bodies or
	// functions contain it, outermost first.
	Node   Node
	Around []Node

	Value     string // the value at fault: one of the graph, or an input of the run
	Attribute string
	// Side and Position say which input or output of the node is at fault. Side is empty if the
	// text does not say whether it is an input or an output. Position is -1 if the text does not
	// say which one.
	Side     Side
	Position int
	// Axis is the number of the axis at fault, as in the text; it may be negative. It is valid only
	// if HasAxis is set.
	Axis    int
	HasAxis bool

	// Found and Wanted are what was found and what was expected: types ("f32"), shapes ("2×3"),
	// ranks, counts, sizes or versions.
	Found, Wanted string
	Domain        string // domain of an opset or of the operator
	File          string
	// Detail is the text without the names of nodes and the positions in the runtime's source code.
	Detail string
}

// Recognized reports whether Parse knows the form of the text.
func (f Fault) Recognized() bool { return f.Kind != Unrecognized }

// Stage says what the runtime was doing when the fault occurred.
type Stage string

// The stages. Graph optimization takes place between Checking and Initializing.
const (
	Unknown      Stage = ""
	Checking     Stage = "checking"     // checking the model as it is in the file
	Initializing Stage = "initializing" // creating kernels and computing constants
	Running      Stage = "running"
)

// Side distinguishes inputs and outputs of a node.
type Side string

// The sides of a node.
const (
	Input  Side = "input"
	Output Side = "output"
)

// Node is a node as a text describes it.
type Node struct {
	// Named is set if the text gives the name of the node. The name may be empty.
	Named           bool
	Name            string
	Op, Domain      string
	Version         int64    // of the operator; 0 if the text does not state it
	Inputs, Outputs []string // if the text lists them
	// readings are longer names that the text could mean. The end of a name in the text is
	// ambiguous if the name itself contains the words that follow names in such texts.
	readings []string
}

// known reports whether the text gives the name or the operator of the node.
func (n Node) known() bool { return n.Named || n.Op != "" }

// Parse extracts the facts from an error code and its text. If it does not recognize the text, the
// kind of the fault is Unrecognized.
func Parse(code int, message string) Fault {
	p := parser{fault: Fault{Code: code, Message: message}, rest: strings.TrimSpace(message)}
	p.unwrap()
	p.fault.Detail = strings.Join(strings.Fields(p.rest), " ")
	p.classify()
	p.contexts()
	if p.fault.Kind == LocaleMissing && !p.fault.Node.known() {
		p.fault.Node.Op = "StringNormalizer" // the only operator that needs a locale
	}
	return p.fault
}

// parser reads a text from its beginning. The runtime writes the outermost context first, such as
// the model and the outer node, and the actual message last.
type parser struct {
	fault Fault
	rest  string // the part not read yet
	// fallback is the kind that follows from the context alone. It is used if the message itself is
	// not recognized.
	fallback Kind
}

// enter makes n the node at fault. The previous one becomes the innermost of the nodes around it.
func (p *parser) enter(n Node) {
	f := &p.fault
	if f.Node.known() {
		f.Around = append(f.Around, f.Node)
	}
	f.Node = n
}

// classify sets the kind of the fault and the facts in the message: those of the first entry of
// forms that matches the remaining text.
func (p *parser) classify() {
	for _, form := range forms() {
		if m := form.re.FindStringSubmatch(p.rest); m != nil {
			p.fault.Kind = form.kind
			p.fill(form.re.Compiled().SubexpNames(), m)
			return
		}
	}
	p.fault.Kind = p.fallback
	if p.fallback == Unrecognized {
		p.fault.Kind = byCode[p.fault.Code]
	}
}

// byCode maps error codes (OrtErrorCode) to the kind of fault that they mean. It is used if the
// text is not recognized.
var byCode = map[int]Kind{3: FileMissing, 7: NotAModel, 9: NoKernel, 12: Canceled}
