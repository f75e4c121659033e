package check

import (
	"lathe/graphops"
	"lathe/graphops/shape"
)

var sizeRules = []rule{{
	code: "size-declared", severity: Warning,
	title: "a declared size is right only for some sizes of the inputs",
	about: `An input has an axis of variable size and a later value depends on it, but the file declares a
number for the later value: an output of shape n×512 is declared as 1×512. Nothing is wrong if n is
1. With any other size, ONNX Runtime warns in every run ("Expected shape from model of {1,512} does
not match actual shape") and returns the right result, but it rejects an output buffer that the
caller has bound ("Got invalid dimensions for output"). Other tools rely on the number: they
allocate memory by it, or fix the size of the input. In value_info, which only tools read, the
problem is an info.

A declaration is not reported if the actual size is unknown, or if it equals the number for all
input sizes with which the model can run. Declarations with symbols are not reported either, because
they may express facts that cannot be inferred, such as that one length is always the larger one.

The cause is an input axis that was made dynamic, by hand or in an export, without changing the
declarations of later values. "lathe annotate" declares the inferred size, or removes the
declaration with --remove. If the number is intended, "lathe axes --fix n=1" also sets it at the
input.`,
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
	out := of(site{p.Graph.Nodes()[node], p, node}, "output %q is %s according to the graph, but declared as %s: %s",
		value, brief(shape.FromFile(b.Type)), brief(shape.FromFile(declared)), b.Denied)
	out.Value = value
	if p.Kind == graphops.MainGraph && x.IsOutput(id) {
		out.Hint, out.Fix = "declare the size that the graph computes", declaring(p, value, made)
		return out
	}
	out.Severity = Info
	out.Hint, out.Fix = "remove the declaration", fixAt(p, "annotate", "remove", value)
	return out
}
