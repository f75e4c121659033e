package check

import (
	"lathe/graphops"
)

var outputUndefined = rule{
	code: "output-undefined", severity: Error,
	title: "nothing produces an output of a graph",
	hint:  "give the intended value this name, or remove the output",
	about: `Every output of a graph must be an output of one of its nodes, an input, or an initializer of that
graph. ONNX Runtime rejects any other ("Graph output (y) does not exist in the graph"). A body must
not directly return a value of the surrounding graph ("Subgraph output (x) is an outer scope value
being returned directly"). A function must not directly return one of its inputs: ONNX Runtime 1.30
rejects the model, even if the function is not called ("ONNX Schema D: failed validating the check:
!(it.GetName().empty())"). In both cases, return the output of an Identity instead.

The causes are a node that was removed or renamed without changing the outputs, and branches that
return a value unchanged.`,
	place: undefinedOutputs,
}

func undefinedOutputs(s *subject, p *graphops.Place, report reporter) {
	x := p.Graph.Index()
	for _, o := range p.Graph.Outputs() {
		v, ok := x.Value(o.Name())
		passes := p.Kind == graphops.FunctionBody && x.IsInput(v)
		if o.Name() == "" || ok && x.IsDefined(v) && !passes {
			continue
		}
		problem := in(p, "output %q is produced by no node", o.Name())
		problem.Value = o.Name()
		switch {
		case passes:
			problem.Message = in(p, "output %q is an input of the function, returned unchanged", o.Name()).Message
			problem.Hint = "put an Identity between them"
		case around(p, o.Name()) != nil:
			problem.Message = in(p, "output %q is a value of the surrounding graph, returned unchanged", o.Name()).Message
			problem.Hint = "put an Identity between them"
			problem.Fix = fixAt(p, "insert", "value", o.Name(), "op", "identity", "at-output", "true")
		default:
			var near []string
			near, problem.Hint = s.near(o.Name(), defined(p.Graph))
			problem.Fix = meant(p, len(p.Graph.Nodes()), o.Name(), near)
		}
		report(problem)
	}
}

// around returns the place around a body that defines a name, or nil.
func around(p *graphops.Place, name string) *graphops.Place {
	for q := p.Parent; q != nil; q = q.Parent {
		x := q.Graph.Index()
		if v, ok := x.Value(name); ok && x.IsDefined(v) {
			return q
		}
	}
	return nil
}

var inputDuplicate = rule{
	code: "input-duplicate", severity: Error,
	title: "two inputs of a graph have the same name",
	about: `The names of a graph's inputs must be unique. ONNX Runtime rejects the graph otherwise ("Duplicate
definition-site for (x)"), and so does onnx.checker. For a function, ONNX Runtime 1.30 accepts it:
nodes that read the name get the value of the last such input, which is most likely not intended.

The causes are merging models, and adding the same input twice.`,
	place: duplicateInputs,
}

func duplicateInputs(_ *subject, p *graphops.Place, report reporter) {
	for _, name := range repeated(p.Graph.Inputs()) {
		problem := in(p, "two inputs have the name %q", name)
		problem.Value, problem.Hint = name, "remove one of them, or rename it and the inputs of nodes that should read it"
		if p.Kind == graphops.FunctionBody {
			problem.Severity = Warning
		}
		report(problem)
	}
}

var outputDuplicate = rule{
	code: "output-duplicate", severity: Warning,
	title: "a graph has the same output twice",
	about: `ONNX Runtime 1.30 and onnx.checker accept a graph that lists an output twice, and a run returns the
value twice. Anything that stores results by name, such as a dictionary, an .npz file or a server,
keeps only one of them. In a function, ONNX Runtime rejects it, even if the function is not called
("failed validating the check: !(it.GetName().empty())").

To give the second output its own name, add an Identity.`,
	place: duplicateOutputs,
}

func duplicateOutputs(_ *subject, p *graphops.Place, report reporter) {
	for _, name := range repeated(p.Graph.Outputs()) {
		problem := in(p, "output %q is listed twice", name)
		problem.Value, problem.Hint = name, "remove one of them, or use an Identity to give it another name"
		if p.Kind == graphops.FunctionBody {
			problem.Severity = Error
		}
		report(problem)
	}
}

// repeated returns the names that occur more than once, each once.
func repeated(list []*graphops.ValueInfo) []string {
	seen := make(map[string]int, len(list))
	var out []string
	for _, v := range list {
		if seen[v.Name()]++; seen[v.Name()] == 2 && v.Name() != "" {
			out = append(out, v.Name())
		}
	}
	return out
}
