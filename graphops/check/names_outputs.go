package check

import (
	"lathe/graphops"
)

var outputUndefined = rule{
	code: "output-undefined", severity: Error,
	title: "an output of a graph is a value that nothing makes",
	hint:  "give the value that was meant this name, or take the output away",
	about: `Every output of a graph must be the output of one of its nodes, an input or an initializer of that graph. ONNX Runtime
refuses any other ("Graph output (y) does not exist in the graph"). A body may not return a value from around it as it is ("Subgraph
output (x) is an outer scope value being returned directly"): an Identity in the body makes it its own. A function may not return one
of its inputs as it is, ONNX Runtime 1.30 then refuses the whole model, called or not ("ONNX Schema D: failed validating the check:
!(it.GetName().empty())"): there, too, an Identity helps.

It comes from a node that was removed or renamed while the list of outputs stayed as it was, and from branches that pass a value
through.`,
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
			problem.Message = in(p, "output %q is an input of the function, returned as it is", o.Name()).Message
			problem.Hint = "put an Identity between them"
		case around(p, o.Name()) != nil:
			problem.Message = in(p, "output %q is a value from around the body, returned as it is", o.Name()).Message
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
	title: "two inputs of a graph have one name",
	about: `The inputs of a graph must differ in their names. ONNX Runtime refuses the graph ("Duplicate definition-site for (x)"),
onnx.checker as well. Of a function ONNX Runtime 1.30 takes it: both names stand for what the last of them is given, which is hardly
what was meant.

It comes from merging models, or from a list of inputs that was extended twice.`,
	place: duplicateInputs,
}

func duplicateInputs(_ *subject, p *graphops.Place, report reporter) {
	for _, name := range repeated(p.Graph.Inputs()) {
		problem := in(p, "two inputs are called %q", name)
		problem.Value, problem.Hint = name, "take one of them away, or give it a name and readers of its own"
		if p.Kind == graphops.FunctionBody {
			problem.Severity = Warning
		}
		report(problem)
	}
}

var outputDuplicate = rule{
	code: "output-duplicate", severity: Warning,
	title: "a graph has one output twice",
	about: `ONNX Runtime 1.30 and onnx.checker take a graph that lists an output twice, and a run gives the value twice. Everything that
keeps results by name, such as a dictionary, an .npz file or a server, holds one of them only. Of a function ONNX Runtime refuses it,
called or not ("failed validating the check: !(it.GetName().empty())").

An Identity gives the second output a name of its own.`,
	place: duplicateOutputs,
}

func duplicateOutputs(_ *subject, p *graphops.Place, report reporter) {
	for _, name := range repeated(p.Graph.Outputs()) {
		problem := in(p, "output %q is listed twice", name)
		problem.Value, problem.Hint = name, "take one away, or put an Identity before it that has a name of its own"
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
