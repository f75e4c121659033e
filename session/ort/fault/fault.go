package fault

import "strings"

// Fault is what a text of ONNX Runtime says, taken apart. What the text does not
// say is empty. Names are raw, as the model has them.
type Fault struct {
	Code    int    // OrtErrorCode
	Message string // whole
	Kind    Kind
	Stage   Stage

	// Node is the innermost node that the text names, and Around those whose
	// bodies or functions hold it, outermost first.
	Node   Node
	Around []Node

	Value     string // that is at fault: of the graph, or fed
	Attribute string
	// Side and Position say which operand of the node is at fault. Side is empty
	// where the text does not say, Position -1 where it says the side alone.
	Side     Side
	Position int
	// Axis is an axis as the text numbers it, where HasAxis is set.
	Axis    int
	HasAxis bool

	// Found and Wanted are two types ("f32"), shapes ("2×3"), ranks, counts,
	// sizes or versions: what there is, and what would do.
	Found, Wanted string
	Domain        string // of an opset, or of the operator
	File          string
	// Detail is the text without the names of nodes and the places in the
	// runtime's sources.
	Detail string
}

// Recognized reports whether the text is of a known form.
func (f Fault) Recognized() bool { return f.Kind != Unrecognized }

// Stage is how far the runtime had come.
type Stage string

// The stages. A graph is optimized between Checking and Initializing.
const (
	Unknown      Stage = ""
	Checking     Stage = "checking"     // the model as it is in the file
	Initializing Stage = "initializing" // kernels are made, constants computed
	Running      Stage = "running"
)

// Side tells inputs and outputs of a node apart.
type Side string

// The sides of a node.
const (
	Input  Side = "input"
	Output Side = "output"
)

// Node is a node as a text names it.
type Node struct {
	// Named is set where the text gives a name; that may be an empty one.
	Named           bool
	Name            string
	Op, Domain      string
	Version         int64    // of the operator, 0 where it is not told
	Inputs, Outputs []string // where the text lists them
	// readings are other names that the text could mean: a name may hold the words
	// that end one.
	readings []string
}

// known reports whether the text says anything of the node.
func (n Node) known() bool { return n.Named || n.Op != "" }

// Parse reads a text. It never fails: what it does not know is Unrecognized.
func Parse(code int, message string) Fault {
	p := parser{fault: Fault{Code: code, Message: message}, rest: strings.TrimSpace(message)}
	p.unwrap()
	p.fault.Detail = strings.Join(strings.Fields(p.rest), " ")
	p.classify()
	p.contexts()
	if p.fault.Kind == LocaleMissing && !p.fault.Node.known() {
		p.fault.Node.Op = "StringNormalizer" // no other operator asks for one
	}
	return p.fault
}

// parser takes a text apart from the outside in.
type parser struct {
	fault Fault
	rest  string // not yet read
	// fallback is the kind that what was read so far stands for.
	fallback Kind
}

// enter makes a node the innermost one.
func (p *parser) enter(n Node) {
	f := &p.fault
	if f.Node.known() {
		f.Around = append(f.Around, f.Node)
	}
	f.Node = n
}

// classify finds the form of what is left.
func (p *parser) classify() {
	for _, form := range forms() {
		if m := form.re.FindStringSubmatch(p.rest); m != nil {
			p.fault.Kind = form.kind
			p.fill(form.re.SubexpNames(), m)
			return
		}
	}
	p.fault.Kind = p.fallback
	if p.fallback == Unrecognized {
		p.fault.Kind = byCode[p.fault.Code]
	}
}

// byCode are the kinds of codes that say enough by themselves.
var byCode = map[int]Kind{3: FileMissing, 7: NotAModel, 9: NoKernel, 12: Canceled}
