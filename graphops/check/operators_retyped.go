package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// retyping is an attribute with an element type that differs from the one that the node should
// produce, such as that of a Cast to f32 that a conversion to f16 did not change.
type retyping struct {
	site
	attribute string
	to        tensor.DType
	declared  bool // the file declares the output with this type; otherwise its readers require it
}

func (r retyping) spot() spot { return spot{r.place, r.index} }

// apply sets the hint and the fix of a problem to setting the attribute.
func (r retyping) apply(p *Problem) {
	why := "as the nodes that read it expect"
	if r.declared {
		why = fmt.Sprintf("as %q is declared", r.Output(0))
	}
	p.Hint = fmt.Sprintf("make %s return %s, %s", nodeName(r.place, r.index), r.to, why)
	p.Fix = setAttribute(r.site, fmt.Sprintf("%s=%d", r.attribute, r.to))
}

// namesItsType returns the attribute with the element type of a node's first output; empty if
// there is none.
func namesItsType(n *graphops.Node) string {
	for _, name := range []string{"to", "dtype", "output_dtype", "output_datatype"} {
		if a, ok := n.Attribute(name); ok && graphops.HoldsElementType(n, name) && a.Kind() == graphops.AttrInt && a.RefName() == "" {
			return name
		}
	}
	return ""
}

// namedType returns the element type in a node's attribute.
func namedType(n *graphops.Node) tensor.DType {
	a, _ := n.Attribute(namesItsType(n))
	return tensor.DType(attributeInt(a))
}

// singleTrials is the maximum number of nodes that are tried separately if setting the
// attributes of all of them together does not help. Each trial infers the types of the whole model.
const singleTrials = 8

// findRetypings finds the nodes whose attribute is wrong: with the declared type, or the one
// that readers require, the model has fewer wrong types and no new ones.
func (s *subject) findRetypings() map[spot]retyping {
	found := map[spot]retyping{}
	list := s.retypable()
	if len(list) == 0 {
		return found
	}
	if s.improves(list) {
		for _, r := range list {
			found[r.spot()] = r
		}
		return found
	}
	for _, r := range list[:min(len(list), singleTrials)] {
		if s.improves([]retyping{r}) {
			found[r.spot()] = r
		}
	}
	return found
}

// retypable returns the nodes whose attribute with an element type may be wrong, each once.
func (s *subject) retypable() []retyping {
	var list []retyping
	seen := map[spot]bool{}
	add := func(n site, to tensor.DType, declared bool) {
		r := retyping{n, namesItsType(n.Node), to, declared}
		if r.attribute == "" || seen[r.spot()] || !to.Valid() || len(n.Outputs()) == 0 {
			return
		}
		schema := s.schema(n)
		if schema == nil {
			return
		}
		if out, ok := schema.Output(0); ok && out.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to}) {
			seen[r.spot()] = true
			list = append(list, r)
		}
	}
	for _, m := range s.misdeclared() {
		if m.types {
			add(site{m.Place.Graph.Nodes()[m.Node], m.Place, m.Node}, m.said.Elem, true)
		}
	}
	for _, f := range s.typing().faults {
		for _, w := range f.wanted {
			x := f.Place.Graph.Index()
			v, ok := x.Value(w.value)
			made := x.Producer(v)
			if !ok || made < 0 || x.Info(v) != nil {
				continue
			}
			// A Cast to a narrower type was added on purpose, and one to a wider type was
			// forgotten.
			if n := (site{f.Place.Graph.Nodes()[made], f.Place, made}); width(w.elem) < width(namedType(n.Node)) {
				add(n, w.elem, false)
			}
		}
	}
	return list
}

// improves reports whether a model has fewer wrong types, and no new ones, with the attributes
// set.
func (s *subject) improves(list []retyping) bool {
	m := s.model
	for _, r := range list {
		p := m.Places()[r.place.ID]
		e := graphops.EditGraph(p.Graph)
		e.Nodes[r.index] = withType(p.Graph.Nodes()[r.index], r.attribute, r.to)
		m = m.WithGraph(p, e.Graph())
	}
	before := s.wrongTypes()
	after := newSubject(s.ctx, m, Options{Runtime: s.Runtime}).wrongTypes()
	for at := range after {
		if !before[at] {
			return false
		}
	}
	return len(after) < len(before)
}

func withType(n *graphops.Node, attribute string, to tensor.DType) *graphops.Node {
	var list []*graphops.Attribute
	for _, a := range n.Attributes() {
		if a.Name() == attribute {
			a = graphops.IntAttribute(attribute, int64(to))
		}
		list = append(list, a)
	}
	return n.WithAttributes(list)
}

// wrongType identifies a node with a wrong type in any version of the model.
type wrongType struct {
	place, node int
	code        string
}

func (s *subject) wrongTypes() map[wrongType]bool {
	out := map[wrongType]bool{}
	for _, f := range s.typing().faults {
		out[wrongType{f.Place.ID, f.Node, f.code}] = true
	}
	for _, m := range s.misdeclared() {
		if m.types {
			out[wrongType{m.Place.ID, m.Node, "type-declared"}] = true
		}
	}
	return out
}
