package check

import (
	"slices"

	"lathe/graphops"
)

var inputUnused = rule{
	code: "input-unused", severity: Info,
	title: "an input of the model is read by nothing",
	about: `ONNX Runtime wants every input in every run, also one that no node reads. A caller prepares it for nothing, and may wonder why
it has no effect.

It comes from cutting a model, and from arguments of the original function that only training uses. Whoever feeds the model must leave
it out when it goes: "lathe prune" with all outputs keeps the inputs that they need.`,
	model: unusedInputs,
}

func unusedInputs(s *subject, report reporter) {
	g := s.model.Graph()
	if isTorn(s.model.Places()[0]) {
		return
	}
	x := g.Index()
	var names []string
	for _, v := range g.Inputs() {
		id, _ := x.Value(v.Name())
		if v.Name() != "" && len(x.Readers(id)) == 0 && !x.IsOutput(id) && !x.IsInitializer(id) {
			names = append(names, v.Name())
		}
	}
	if len(names) == 0 {
		return
	}
	problem := in(s.model.Places()[0], "%s read by nothing: %s", counted(len(names), "input"), graphops.QuoteNames(names))
	problem.Value, problem.Hint = names[0], "drop what the outputs do not need"
	problem.Fix = keepOutputs(g)
	report(problem)
}

// isTorn reports whether a place reads or returns an undefined value, or defines one twice.
// Parts that are not needed may then be needed after the problem is fixed.
func isTorn(p *graphops.Place) bool {
	x := p.Graph.Index()
	if len(x.Duplicates) > 0 || slices.ContainsFunc(p.Captures(), func(c graphops.Capture) bool { return c.From == nil }) {
		return true
	}
	return slices.ContainsFunc(p.Graph.Outputs(), func(o *graphops.ValueInfo) bool {
		v, ok := x.Value(o.Name())
		return !ok || !x.IsDefined(v)
	})
}

// keepOutputs returns the prune that keeps what the outputs need.
func keepOutputs(g *graphops.Graph) *Fix {
	var names []string
	for _, o := range g.Outputs() {
		names = append(names, o.Name())
	}
	return pruneTo(names)
}

// pruneTo returns the prune to some outputs; nil if there are none or too many for a command
// line.
func pruneTo(outputs []string) *Fix {
	const most = 64
	if len(outputs) == 0 || len(outputs) > most {
		return nil
	}
	f := &Fix{Step: "prune"}
	for _, name := range outputs {
		f.Options = append(f.Options, Setting{"output", name})
	}
	return f
}

var initializerUnused = rule{
	code: "initializer-unused", severity: Info,
	title: "initializers are read by nothing",
	about: `An initializer that no node reads and that is no output takes room in the file and time to load. ONNX Runtime warns about each
and drops it ("Removing initializer … It is not used by any node and should be removed from the model.").

It comes from removing or fusing nodes, and from exporters that write all parameters of a module. "lathe prune" with all outputs drops
them; sizes are told by "lathe inspect --tensors".`,
	model: unusedInitializers,
}

func unusedInitializers(s *subject, report reporter) {
	var names []string
	var first *graphops.Place
	for _, p := range s.model.Places() {
		if isTorn(p) {
			continue
		}
		x := p.Graph.Index()
		for _, t := range p.Graph.Initializers() {
			id, _ := x.Value(t.Name())
			if t.Name() == "" || len(x.Readers(id)) > 0 || x.IsOutput(id) {
				continue
			}
			if names = append(names, t.Name()); first == nil {
				first = p
			}
		}
	}
	if len(names) == 0 {
		return
	}
	problem := in(first, "%s read by nothing: %s", counted(len(names), "initializer"), graphops.QuoteNames(names))
	problem.Value, problem.Hint = names[0], "drop what the outputs do not need"
	if first.Kind == graphops.MainGraph {
		problem.Fix = keepOutputs(first.Graph)
	}
	report(problem)
}

var nodeDead = rule{
	code: "node-dead", severity: Info,
	title: "nodes that no output needs",
	about: `A node whose results lead to no output of its graph does nothing. ONNX Runtime drops it when it loads the model, but checks it
first, so that a model can be refused for a node that nobody needs.

It comes from cutting a model, and from exporters that trace what the original program computes and throws away. "lathe prune" with all
outputs drops such nodes.`,
	model: deadNodes,
}

func deadNodes(s *subject, report reporter) {
	var dead []site
	count := 0
	for _, p := range s.model.Places() {
		if isTorn(p) {
			continue
		}
		for i, needed := range s.live(p).Nodes {
			if n := p.Graph.Nodes()[i]; !needed && len(n.Outputs()) > 0 {
				if count++; len(dead) < fewTold {
					dead = append(dead, site{n, p, i})
				}
			}
		}
	}
	if count == 0 || len(s.model.Graph().Outputs()) == 0 {
		return
	}
	problem := of(dead[0], "no output needs it")
	problem.Hint = "drop what the outputs do not need"
	if count > 1 {
		problem.Message = of(dead[0], "no output needs it, and %s like it", counted(count-1, "node")).Message
	}
	if dead[0].place.Kind == graphops.MainGraph {
		problem.Fix = keepOutputs(dead[0].place.Graph)
	}
	report(problem)
}
