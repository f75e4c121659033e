package fault

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lathe/graphops/pattern"
)

// wrapping is a text that the runtime puts before an error message to say what it was doing, for
// example "Load model from m.onnx failed:". There can be several in front of one message.
type wrapping struct {
	starts string // prefix to look for first, which is cheaper than the expression
	re     *pattern.Pattern
	take   func(p *parser, m []string)
}

// wrappings are the known wrappings. unwrap removes them from the start of the text until none
// matches.
var wrappings = sync.OnceValue(func() []wrapping {
	return []wrapping{
		{"Load model from ", pattern.New(`(?s)^Load model from (.*?) failed:\s*`), takeFile},
		{"Error creating ", pattern.New(`^Error creating execution provider: `), nil},
		{"Exception ", pattern.New(`^Exception during initialization: `), takeInitialization},
		{"[ONNXRuntimeError]", pattern.New(`^\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : `), nil},
		{"Non-zero ", pattern.New(`^Non-zero status code returned while running (\S+) node\. Name:'`), takeRunning},
		{"Node (", pattern.New(`(?s)^Node \((.*?\) Op \()`), takeInference},
		{"[", pattern.New(`^\[(?:Shape|Type)InferenceError\] `), nil},
		{"Graph attribute ", pattern.New(`^Graph attribute inferencing failed: `), nil},
		{"(op_type:", pattern.New(`(?s)^\(op_type:(\S+), node name: (.*?)\): `), takeCalled},
		{"This is an invalid model. In Node", pattern.New(`(?s)^This is an invalid model\. In Node, \("(.*?)", (\S*), "(.*?)", -?\d+\) : \((.*?)\) -> \((.*?)\) , Error `), takeChecked},
		{"Node:", pattern.New(`(?s)^Node:(.*?) Output:(.*?) (?:\[ShapeInferenceError\] )?`), takeMerged},
		{"Output:", pattern.New(`(?s)^Output:(.*?) \[ShapeInferenceError\] `), takeDeclared},
		{"Deserialize tensor ", pattern.New(`(?s)^Deserialize tensor (.*?) failed\.`), takeConstant},
		{"External data path validation ", pattern.New(`(?s)^External data path validation failed for initializer: (.*?)\. Error: `), takeExternal},
	}
})

// maxWrappings limits how many wrappings are removed. Real graphs are not nested that deep, but a
// malicious node name can produce such a text. If the limit is reached, the remaining text becomes
// Fault.Detail.
const maxWrappings = 300

// unwrap removes everything before the actual message from the text, and stores the facts in it.
func (p *parser) unwrap() {
	for range maxWrappings {
		if !p.skipLocation() && !p.unwrapOne() {
			return
		}
	}
}

func (p *parser) unwrapOne() bool {
	for _, w := range wrappings() {
		if !strings.HasPrefix(p.rest, w.starts) {
			continue
		}
		if m := w.re.FindStringSubmatch(p.rest); m != nil {
			p.rest = p.rest[len(m[0]):]
			if w.take != nil {
				w.take(p, m)
			}
			return true
		}
	}
	return false
}

func takeFile(p *parser, m []string) { p.fault.File, p.fault.Stage = m[1], Checking }

func takeInitialization(p *parser, _ []string) { p.fault.Stage = Initializing }

func takeRunning(p *parser, m []string) {
	p.fault.Stage, p.fallback = Running, OperatorFailed
	n := Node{Op: m[1]}
	n.take(p, "'Status Message:", "' Status Message:")
	p.rest = strings.TrimSpace(p.rest)
	p.enter(n)
}

func takeInference(p *parser, m []string) {
	p.fallback = InferenceFailed
	p.rest = m[1] + p.rest // the name may extend to a later end marker
	n := Node{}
	n.take(p, ") Op (")
	n.Op, p.rest, _ = strings.Cut(p.rest, ") ")
	p.enter(n)
}

// maxReadings is the largest number of alternative names that are stored for a node. Ordinary names
// have none.
const maxReadings = 8

// take reads the node's name from the start of the remaining text. The name ends at the first of
// the texts in ends. Since a name may itself contain such a text, take also stores the longer names
// that end at a later one.
func (n *Node) take(p *parser, ends ...string) {
	text := p.rest
	at, length := endOf(text, 0, ends)
	if at < 0 {
		n.Named, n.Name, p.rest = true, text, ""
		return
	}
	n.Named, n.Name, p.rest = true, text[:at], text[at+length:]
	for len(n.readings) < maxReadings {
		if at, _ = endOf(text, at+1, ends); at < 0 {
			return
		}
		n.readings = append(n.readings, text[:at])
	}
}

// endOf returns the position and length of the first of the texts in ends that occurs at position
// from or later. The position is -1 if none of them occurs.
func endOf(text string, from int, ends []string) (at, length int) {
	at = -1
	for _, end := range ends {
		if i := strings.Index(text[from:], end); i >= 0 && (at < 0 || from+i < at) {
			at, length = from+i, len(end)
		}
	}
	return at, length
}

func takeCalled(p *parser, m []string) { p.enter(Node{Named: true, Name: m[2], Op: m[1]}) }

func takeChecked(p *parser, m []string) {
	p.enter(Node{Named: true, Name: m[1], Op: m[2], Domain: m[3], Inputs: listed(m[4]), Outputs: listed(m[5])})
}

// operand matches one entry of a list of inputs or outputs such as `"x": tensor(float),"",`.
var operand = pattern.New(`"(.*?)"(?:: [^"]*)?,`)

func listed(s string) []string {
	var out []string
	for _, m := range operand.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}

func takeMerged(p *parser, m []string) {
	p.fallback = InferenceFailed
	p.enter(Node{Named: true, Name: m[1]})
	p.fault.Value, p.fault.Side, p.fault.Position = m[2], Output, -1
}

func takeDeclared(p *parser, m []string) { p.fault.Value, p.fallback = m[1], InferenceFailed }

func takeConstant(p *parser, m []string) {
	p.fault.Value, p.fallback = m[1], ConstantInvalid
}

func takeExternal(p *parser, m []string) {
	p.fault.Value, p.fallback = m[1], ExternalData
}

// nodeContext matches the text with which the runtime names a node after the message of a fault.
var nodeContext = pattern.New(`==> Context: Bad node spec for node\. Name: (.*?) OpType: (\S+)`)

// contexts reads the nodes that the text lists after the message. The text lists the innermost node
// first.
func (p *parser) contexts() {
	all := nodeContext.FindAllStringSubmatch(p.rest, -1)
	for i := len(all) - 1; i >= 0; i-- {
		p.enter(Node{Named: true, Name: all[i][1], Op: all[i][2]})
	}
	if len(all) > 0 {
		p.fault.Detail, _, _ = strings.Cut(p.fault.Detail, " ==> Context:")
	}
}

// fill stores the texts that the named groups of a form matched. If the message names a node and
// the wrappings name another one, the former is inside the latter.
func (p *parser) fill(names, m []string) {
	f := &p.fault
	if i := slices.Index(names, "node"); i > 0 && (!f.Node.Named || f.Node.Name != m[i]) {
		if f.Node.Named {
			p.enter(Node{})
		}
		f.Node.Named = true
	}
	for i, name := range names {
		if name != "" && m[i] != "" {
			fillers[name](f, &f.Node, m[i])
		}
	}
}

// fillers maps the names of a form's groups to functions that store their text.
var fillers = map[string]func(f *Fault, n *Node, s string){
	"node":    func(_ *Fault, n *Node, s string) { n.Name = s },
	"op":      func(_ *Fault, n *Node, s string) { n.Op = cmp.Or(n.Op, s) },
	"domain":  func(f *Fault, n *Node, s string) { f.Domain, n.Domain = s, s },
	"since":   func(_ *Fault, n *Node, s string) { n.Version, _ = strconv.ParseInt(s, 10, 64) },
	"value":   func(f *Fault, _ *Node, s string) { f.Value = s },
	"attr":    func(f *Fault, _ *Node, s string) { f.Attribute = s },
	"autopad": func(f *Fault, _ *Node, _ string) { f.Attribute = "auto_pad" },
	"opset":   func(f *Fault, _ *Node, s string) { f.Domain = s },
	"side":    func(f *Fault, _ *Node, s string) { f.Side, f.Position = Side(s), -1 },
	"at":      func(f *Fault, _ *Node, s string) { f.Position, _ = strconv.Atoi(s) },
	"input":   func(f *Fault, _ *Node, s string) { f.Side = Input; f.Position, _ = strconv.Atoi(s) },
	"axis":    func(f *Fault, _ *Node, s string) { f.Axis, f.HasAxis = atoi(s) },
	"found":   func(f *Fault, _ *Node, s string) { f.Found = spelled(s) },
	"want":    func(f *Fault, _ *Node, s string) { f.Wanted = spelled(s) },
	"foundno": func(f *Fault, _ *Node, s string) { f.Found = numbered(s) },
	"wantno":  func(f *Fault, _ *Node, s string) { f.Wanted = numbered(s) },
	"raw":     func(f *Fault, _ *Node, s string) { f.Found = s },
	"min":     func(f *Fault, _ *Node, s string) { f.Wanted = s },
	"max":     func(f *Fault, _ *Node, s string) { f.Wanted = between(f.Wanted, s) },
	"file":    func(f *Fault, _ *Node, s string) { f.File = s },
}

func atoi(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// unbounded is the upper limit that the runtime writes if any number is allowed.
const unbounded = "2147483647"

func between(least, most string) string {
	switch most {
	case least:
		return least
	case unbounded:
		return "at least " + least
	}
	return least + " to " + most
}
