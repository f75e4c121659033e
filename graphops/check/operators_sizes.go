package check

import (
	"lathe/graphops"
	"lathe/graphops/shape"
)

var sizeRules = []rule{{
	code: "size-declared", severity: Warning,
	title: "a declared size is right for some sizes of the inputs only",
	about: `An input has an axis without a number, a value follows it, and the file declares a number there: an output of n×512 is declared as
1×512. Nothing is wrong where n is 1. At any other size ONNX Runtime warns in every run ("Expected shape from model of {1,512} does not match
actual shape") and gives the right answer, but refuses an output that the caller has bound ("Got invalid dimensions for output"), and other
readers believe the number: they allocate by it, and fix the input. In value_info, where only tools look, it is an info.

Nothing is told where the size in the graph is not known, where an expression has the number for every size of the inputs at which the model's
nodes go together, and of symbols, which may say what the graph does not: that one length is always the larger one.

It comes from making an input's axis dynamic by hand, or in an export, without what is declared behind it. "lathe annotate" declares what
the graph makes, or --remove takes the declaration away; where the number is meant, "lathe axes --fix n=1" writes it to the input as well.`,
	place: declaredSizes,
}}

// declaredSizes checks declarations that are not contradictions, which are reported as
// shape-declared.
func declaredSizes(s *subject, p *graphops.Place, report reporter) {
	types, err := s.named()
	if err != nil {
		return
	}
	told := s.misdeclaredValues()
	x := p.Graph.Index()
	for i := range x.Values() {
		id := graphops.ValueID(i)
		if x.Info(id) == nil || x.Producer(id) < 0 || told[valueAt{p, id}] || s.typing().isDoubtful(p, id) {
			continue
		}
		declared := x.Info(id).Type()
		if b := types.Believe(p, id, declared); b.Number {
			report(s.sizeDeclared(p, id, declared, types.ForFile(b), b))
		}
	}
}

// valueAt is a value of a place.
type valueAt struct {
	place *graphops.Place
	value graphops.ValueID
}

// misdeclaredValues returns the values whose declarations are never right.
func (s *subject) misdeclaredValues() map[valueAt]bool {
	out := map[valueAt]bool{}
	if types, err := s.shapes(); err == nil {
		for _, p := range types.Problems {
			if p.Kind == shape.Misdeclared {
				out[valueAt{p.Place, p.Value}] = true
			}
		}
	}
	return out
}

func (s *subject) sizeDeclared(p *graphops.Place, id graphops.ValueID, declared, made graphops.Type, b shape.Belief) Problem {
	x := p.Graph.Index()
	node, value := x.Producer(id), x.Name(id)
	out := of(site{p.Graph.Nodes()[node], p, node}, "output %q is %s by the graph, and declared as %s: %s",
		value, brief(shape.FromFile(b.Type)), brief(shape.FromFile(declared)), b.Denied)
	out.Value = value
	if p.Kind == graphops.MainGraph && x.IsOutput(id) {
		out.Hint, out.Fix = "declare what the graph makes", declaring(p, value, made)
		return out
	}
	out.Severity = Info
	out.Hint, out.Fix = "take the declaration away", fixAt(p, "annotate", "remove", value)
	return out
}
