package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

func declaredTypes(s *subject, report reporter) {
	for _, m := range s.misdeclared() {
		if !m.types {
			continue
		}
		if r, ok := s.retypings()[spot{m.Place, m.Node}]; ok {
			r.apply(&m.Problem)
		}
		report(m.Problem)
	}
}

func declaredShapes(s *subject, report reporter) {
	for _, m := range s.misdeclared() {
		if !m.types {
			report(m.Problem)
		}
	}
}

// misdeclaration is a value that the file declares incorrectly.
type misdeclaration struct {
	types bool // not the shape
	said  shape.Type
	Problem
}

func (s *subject) findMisdeclared() []misdeclaration {
	result, err := s.shapes()
	if err != nil {
		return nil
	}
	var out []misdeclaration
	seen := map[finding]bool{}
	for _, p := range result.Problems {
		at := finding{p.Place, p.Node, p.Value}
		if p.Kind != shape.Misdeclared || seen[at] || hasNoType(result, p) || s.typing().isDoubtful(p.Place, p.Value) {
			continue
		}
		seen[at] = true
		out = append(out, s.misdeclaredOutput(result, p))
	}
	return out
}

// hasNoType reports whether a value's type comes from an element type that ONNX does not define.
// It is reported where that type is.
func hasNoType(result *shape.Result, p shape.Problem) bool {
	t := result.Value(p.Place, p.Value).Type
	return t.Kind == graphops.TypeTensor && t.Elem != tensor.Undefined && !t.Elem.Valid()
}

// finding identifies a problem of a node's value, so that it is reported only once even if its
// function is called often.
type finding struct {
	place *graphops.Place
	node  int
	value graphops.ValueID
}

func (s *subject) misdeclaredOutput(result *shape.Result, p shape.Problem) misdeclaration {
	x := p.Place.Graph.Index()
	is, said := result.Value(p.Place, p.Value).Type, shape.FromFile(x.Info(p.Value).Type())
	value := x.Name(p.Value)
	out := misdeclaration{types: !sameType(withoutShape(is), withoutShape(said)), said: said}
	n := site{p.Place.Graph.Nodes()[p.Node], p.Place, p.Node}
	if out.types {
		out.Problem = of(n, "output %q is of type %s, but declared as %s", value, withoutShape(is), withoutShape(said))
		// ONNX Runtime does not examine its declaration
		if out.Severity = s.orWarning(p.Place); n.Is("Constant") {
			out.Severity = Warning
		}
	} else {
		out.Problem = of(n, "output %q is %s, but declared as %s: %s", value, brief(is), brief(said), shape.Contradiction(is, said))
	}
	out.Value = value
	out.Hint = "declare the actual type, unless the node is wrong"
	out.Fix = declaring(p.Place, value, is.ForFile())
	if out.Fix != nil && !out.types && !x.IsOutput(p.Value) {
		out.Hint, out.Fix = "remove the declaration, unless the node is wrong", fixAt(p.Place, "annotate", "remove", value)
	}
	return out
}

// brief returns a type as text, shortened for a message.
func brief(t shape.Type) string {
	const room = 100
	if t.Kind == graphops.TypeTensor && t.Elem == tensor.Undefined {
		return "of unknown type and shape " + t.ForFile().Shape.String()
	}
	if text := t.String(); len(text) <= room {
		return text
	}
	return fmt.Sprintf("%s of rank %d", t.ForFile(), len(t.Dims))
}
