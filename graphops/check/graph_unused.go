package check

import (
	"slices"

	"lathe/graphops"
)

var inputUnused = rule{
	code: "input-unused", severity: Info,
	title: "nothing reads an input of the model",
	about: `ONNX Runtime requires every input in every run, even one that no node reads. Callers have to supply
it although it has no effect.

The causes are removing nodes from a model, and arguments of the original function that are only
used in training. "lathe prune" with all outputs keeps only the inputs that they need. Callers must
then no longer supply the removed input.`,
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
	problem.Value, problem.Hint = names[0], "remove what the outputs do not need"
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

// keepOutputs returns the fix that prunes the model to what its outputs need.
func keepOutputs(g *graphops.Graph) *Fix { return pruneTo(graphops.ValueNames(g.Outputs())) }

// pruneTo returns the fix that prunes the model to some outputs; nil if there are none, or too many
// for a command line.
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
	title: "nothing reads some initializers",
	about: `An initializer that no node reads and that is not an output makes the file larger and loading
slower. ONNX Runtime warns about each one and drops it ("Removing initializer … It is not used by
any node and should be removed from the model.").

The causes are removing or fusing nodes, and exporters that write all parameters of a module. "lathe
prune" with all outputs removes them; "lathe inspect --tensors" shows their sizes.`,
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
	problem.Value, problem.Hint = names[0], "remove what the outputs do not need"
	if first.Kind == graphops.MainGraph {
		problem.Fix = keepOutputs(first.Graph)
	}
	report(problem)
}

var nodeDead = rule{
	code: "node-dead", severity: Info,
	title: "nodes that no output needs",
	about: `A node has no effect if no output of its graph depends on its results. ONNX Runtime drops it while
it loads the model, but checks it first, so a model can be rejected because of a node that nothing
needs.

The causes are removing outputs from a model, and exporters that record computations whose results
the original program discards. "lathe prune" with all outputs removes such nodes.`,
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
	problem.Hint = "remove what the outputs do not need"
	if count > 1 {
		problem.Message = of(dead[0], "no output needs it, and %s like it", counted(count-1, "node")).Message
	}
	if dead[0].place.Kind == graphops.MainGraph {
		problem.Fix = keepOutputs(dead[0].place.Graph)
	}
	report(problem)
}
