package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var bodySignature = rule{
	code: "body-signature", severity: Error,
	title: "a body takes or gives another number of values than its node",
	about: `The branches of an If take nothing, for they read the values around them by name, and each gives as many values as the If
has outputs. The body of a Loop takes the number of the iteration, the condition and a value for each that is carried, that is, as many
as the Loop has inputs, and gives the condition and then a value for each output. The bodies of Scan and SequenceMap take and give as
many as their node, Scan's of opset 8 without the lengths. Outputs that nobody wants count. ONNX
Runtime refuses anything else ("Size mismatch validating subgraph inputs", "Graph attribute inferencing returned type information for 3
outputs. Expected 2", "If node has 2 but subgraphs produce 1"); onnx.checker does not look.

It comes from edits of the body alone, or of its node alone.`,
	place: bodySignatures,
}

// signature is the number of inputs and outputs of a body.
type signature struct{ inputs, outputs int }

func bodySignatures(s *subject, p *graphops.Place, report reporter) {
	for _, body := range p.Bodies {
		n := site{body.Holder(), p, body.Node}
		want, ok := s.demanded(n, body.Attribute)
		if !ok {
			continue
		}
		tell := func(what string, got, want int) {
			problem := of(n, "%s has %s, expected %d", body.Attribute, counted(got, what), want)
			problem.Severity, problem.Hint = s.orWarning(p), "make the node and its body agree"
			report(problem)
		}
		most, least := len(body.Graph.Inputs()), len(body.Graph.FeedInputs())
		if n.OpType() == "SequenceMap" { // does not support defaults
			least = most
		}
		if want.inputs > most || want.inputs < least {
			tell("input", most, want.inputs)
		}
		if got := len(body.Graph.Outputs()); got != want.outputs {
			tell("output", got, want.outputs)
		}
	}
}

// demanded returns the signature that a standard operator requires of a body.
func (s *subject) demanded(n site, attribute string) (signature, bool) {
	if n.Domain() != graphops.DefaultDomain || s.function(n) != nil {
		return signature{}, false
	}
	in, out := len(n.Inputs()), len(n.Outputs())
	switch n.OpType() + " " + attribute {
	case "If then_branch", "If else_branch":
		return signature{0, out}, true
	case "Loop body":
		return signature{in, out + 1}, in >= 2
	case "Scan body":
		if version, _ := s.resolved(n.place, n.Domain()); version < 9 {
			in--
		}
		return signature{in, out}, true
	case "SequenceMap body":
		return signature{in, out}, true
	}
	return signature{}, false
}

var bodyOutputUnnamed = rule{
	code: "body-output-unnamed", severity: Error,
	title: "an output of If, Loop, Scan or SequenceMap is left out",
	about: `An empty name in a node's list of outputs says that nobody wants the output. The standard allows it everywhere, and onnx.checker
takes it. ONNX Runtime 1.30 takes it of most operators, but not of those that hold bodies: it refuses If, Loop and Scan with an error from
its own insides that names no node ("FindDeviceForValue"), SequenceMap with "Output 1 expected but not provided", and it crashes in the run
of a Loop whose carried value has no name.

It comes from tools that remove names that nothing reads. Give the output any name; nothing needs to read it.`,
	place: unnamedOutputs,
}

func unnamedOutputs(s *subject, p *graphops.Place, report reporter) {
	told := -1
	for _, body := range p.Bodies {
		n := site{body.Holder(), p, body.Node}
		if _, ok := s.demanded(n, body.Attribute); !ok || told == body.Node {
			continue
		}
		told = body.Node
		i := slices.Index(n.Outputs(), "")
		if i < 0 {
			continue
		}
		problem := of(n, "output %d has no name, which ONNX Runtime refuses of %s", i, n.OpType())
		if n.OpType() == "Loop" && i < len(n.Inputs())-2 { // carried
			problem = of(n, "output %d has no name, and is carried: ONNX Runtime crashes in the run", i)
		}
		problem.Severity, problem.Hint = s.orWarning(p), "give it any name; nothing needs to read it"
		if n.OpType() == "If" && s.isFolded(n) {
			problem.Severity = Warning
		}
		report(problem)
	}
}

// isFolded reports whether the condition of an If is constant, so that a runtime may replace the
// If by a branch.
func (s *subject) isFolded(n site) bool {
	if len(n.Inputs()) == 0 {
		return false
	}
	q, x := n.place, n.place.Graph.Index()
	v, ok := x.Value(n.Inputs()[0])
	if ok && !x.IsDefined(v) {
		if q = around(n.place, n.Inputs()[0]); q == nil {
			return false
		}
		x = q.Graph.Index()
		v, _ = x.Value(n.Inputs()[0])
	}
	made := x.Producer(v)
	return x.IsInitializer(v) || made >= 0 && len(q.Graph.Nodes()[made].Inputs()) == 0
}

var branchTypes = rule{
	code: "branch-types", severity: Error,
	title: "the branches of an If give different types",
	about: `An output of an If comes from one branch or the other, so that both must give it the same type; shapes may differ. ONNX Runtime
refuses other models ("Mismatched tensor element type: inferred=int64 declared=float"); onnx.checker does not look.

It comes from converting the weights of a model to another type in one branch only, and from exporters that return a number in one
branch and a tensor of floats in the other. A Cast at the end of a branch makes them agree.`,
	place: differingBranches,
}

func differingBranches(s *subject, p *graphops.Place, report reporter) {
	branches := map[int]*graphops.Place{} // the first branch of a node
	for _, body := range p.Bodies {
		n := site{body.Holder(), p, body.Node}
		if n.OpType() != "If" || n.Domain() != graphops.DefaultDomain || s.function(n) != nil {
			continue
		}
		if first := branches[body.Node]; first != nil {
			s.compareBranches(n, first, body, report)
		}
		branches[body.Node] = body
	}
}

func (s *subject) compareBranches(n site, a, b *graphops.Place, report reporter) {
	if a.Attribute == b.Attribute {
		return
	}
	for i := range min(len(a.Graph.Outputs()), len(b.Graph.Outputs())) {
		left, right := s.outputType(a, i), s.outputType(b, i)
		if !unlike(left, right) {
			continue
		}
		problem := of(n, "output %d is %s in %s and %s in %s", i, left, a.Attribute, right, b.Attribute)
		problem.Severity, problem.Hint = s.orWarning(n.place), "put a Cast at the end of one branch"
		if left.Kind != right.Kind {
			problem.Hint = "make both branches give the same kind of value"
		}
		report(problem)
	}
}

func (s *subject) outputType(p *graphops.Place, i int) graphops.Type {
	return withoutShape(s.inferred(p, p.Graph.Outputs()[i].Name()).Type)
}

// unlike reports whether two types are known and differ in kind or element type.
func unlike(a, b graphops.Type) bool {
	switch {
	case a.Kind == graphops.TypeUnknown || b.Kind == graphops.TypeUnknown:
		return false
	case a.Kind != b.Kind:
		return true
	case a.Elem != tensor.Undefined && b.Elem != tensor.Undefined && a.Elem != b.Elem:
		return true
	}
	return a.Of != nil && b.Of != nil && unlike(*a.Of, *b.Of)
}
