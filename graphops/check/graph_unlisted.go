package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// listedUntil is the last version of the file format in which initializers had to be listed as
// inputs.
const listedUntil = 3

var initializerUnlisted = rule{
	code: "initializer-unlisted", severity: Error,
	title: "a model of IR version 3 or less has an initializer that is not an input, and no node of its graph reads it",
	about: `Up to IR version 3, initializers must be listed as inputs. ONNX Runtime accepts a model in which
they are not, as long as a node of the same graph reads each initializer. Otherwise it rejects the
model: "Graph ctor should have created NodeArg for initializer. Missing: c". It does not matter
whether the initializer is an output or whether a body reads it. From IR version 4 on, the same
model loads.

The cause is a node that was removed or merged while its constants remained. "lathe prune" with all
outputs removes what nothing needs. "lathe metadata --ir-version 4" sets a version without this
rule; it also makes initializers that are inputs replaceable in every run.`,
	place: unlistedInitializers,
}

func unlistedInitializers(s *subject, p *graphops.Place, report reporter) {
	if v := s.model.IRVersion(); v <= 0 || v > listedUntil || p.Kind == graphops.FunctionBody {
		return
	}
	missing := unlisted(p.Graph)
	if len(missing) == 0 {
		return
	}
	problem := in(p, "IR version %d: %s, and no node of the graph reads %s", s.model.IRVersion(), notInputs(missing), pronoun(missing))
	problem.Value, problem.Severity = missing[0], s.orWarning(p)
	problem.Hint, problem.Fix = s.listing(p, missing)
	report(problem)
}

// unlisted returns the initializers that are not inputs and that no node of the graph itself
// reads.
func unlisted(g *graphops.Graph) (names []string) {
	known := map[string]bool{}
	for _, v := range g.Inputs() {
		known[v.Name()] = true
	}
	for _, n := range g.Nodes() {
		for _, name := range n.Inputs() {
			known[name] = true
		}
	}
	add := func(name string) {
		if name != "" && !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	for _, t := range g.Initializers() {
		add(t.Name())
	}
	for _, t := range g.SparseInitializers() {
		add(t.Name())
	}
	return names
}

func notInputs(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("initializer %q is not an input", names[0])
	}
	return fmt.Sprintf("%d initializers such as %q are not inputs", len(names), names[0])
}

// listing returns the hint and the fix for initializers that should be inputs. If no output needs
// them, it removes them. Otherwise it sets a version without that rule, unless this would make
// other initializers replaceable by a run.
func (s *subject) listing(p *graphops.Place, names []string) (string, *Fix) {
	x := p.Graph.Index()
	needed := slices.ContainsFunc(names, func(name string) bool {
		v, _ := x.Value(name)
		return x.IsOutput(v) || len(x.Readers(v)) > 0
	})
	switch {
	case !needed && p.Kind == graphops.MainGraph && !isTorn(p):
		return "remove what the outputs do not need", keepOutputs(p.Graph)
	case !slices.ContainsFunc(s.model.Graph().Inputs(), func(v *graphops.ValueInfo) bool {
		main := s.model.Graph().Index()
		id, _ := main.Value(v.Name())
		return main.IsInitializer(id)
	}):
		return fmt.Sprintf("set IR version %d, in which initializers need not be inputs", listedUntil+1), statedIR(max(s.model.NeededIR().Version, listedUntil+1), s.capacity)
	default:
		return "make it an input, or remove all initializers from the inputs and set IR version 4", nil
	}
}

func pronoun(names []string) string {
	if len(names) == 1 {
		return "it"
	}
	return "them"
}
