package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var bodySignature = rule{
	code: "body-signature", severity: Error,
	title: "a body has another number of inputs or outputs than its node requires",
	about: `The branches of an If have no inputs, because they read values of the surrounding graph by name, and
each has as many outputs as the If. The body of a Loop has as many inputs as the Loop: the iteration
number, the condition, and one input for each state. Its outputs are the condition and one for each
output of the Loop. The bodies of Scan and SequenceMap have as many inputs and outputs as their
node; for Scan of opset 8, the lengths are not counted. Outputs with an empty name are counted. ONNX
Runtime rejects anything else ("Size mismatch validating subgraph inputs", "Graph attribute
inferencing returned type information for 3 outputs. Expected 2", "If node has 2 but subgraphs
produce 1"). onnx.checker does not check this.

The cause is an edit that changed only the body or only its node.`,
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
		if n.Is("SequenceMap") { // does not support defaults
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
	title: "an output of If, Loop, Scan or SequenceMap has no name",
	about: `An empty name in a node's list of outputs means that the output is not used. The standard allows
this for all operators, and onnx.checker accepts it. ONNX Runtime 1.30 accepts it for most
operators, but not for those with bodies: it rejects If, Loop and Scan with an internal error that
names no node ("FindDeviceForValue"), rejects SequenceMap with "Output 1 expected but not provided",
and crashes in the run of a Loop if the output of a state has no name.

The cause is a tool that removes names which nothing reads. Give the output any name; nothing needs
to read it.`,
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
		problem := of(n, "output %d has no name, which ONNX Runtime rejects for %s", i, n.OpType())
		if n.Is("Loop") && i < len(n.Inputs())-2 { // carried
			problem = of(n, "output %d, which is a state, has no name: ONNX Runtime crashes in the run", i)
		}
		problem.Severity, problem.Hint = s.orWarning(p), "give it any name; nothing needs to read it"
		if n.Is("If") && s.isFolded(n) {
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
	v, ok := x.Value(n.Input(0))
	if ok && !x.IsDefined(v) {
		if q = around(n.place, n.Input(0)); q == nil {
			return false
		}
		x = q.Graph.Index()
		v, _ = x.Value(n.Input(0))
	}
	made := x.Producer(v)
	return x.IsInitializer(v) || made >= 0 && len(q.Graph.Nodes()[made].Inputs()) == 0
}

var branchTypes = rule{
	code: "branch-types", severity: Error,
	title: "the branches of an If return different types",
	about: `An output of an If comes from one branch or the other, so both branches must return the same type.
Shapes may differ. ONNX Runtime rejects other models ("Mismatched tensor element type:
inferred=int64 declared=float"); onnx.checker does not check this.

The causes are a conversion of weights to another type in one branch only, and exporters that return
an integer in one branch and a float tensor in the other. Add a Cast at the end of one branch.`,
	place: differingBranches,
}

func differingBranches(s *subject, p *graphops.Place, report reporter) {
	branches := map[int]*graphops.Place{} // the first branch of a node
	for _, body := range p.Bodies {
		n := site{body.Holder(), p, body.Node}
		if !n.Is("If") || s.function(n) != nil {
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
