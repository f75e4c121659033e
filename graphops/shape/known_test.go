//go:build parity || soak

package shape_test

import (
	"context"
	"fmt"
	"testing"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// infer tells what is inferred in each place of a model, from its inputs alone.
func infer(t *testing.T, m *graphops.Model) func(*graphops.Place) Known {
	t.Helper()
	r, err := shape.Infer(context.Background(), m, shape.Options{Fresh: true})
	if err != nil {
		t.Errorf("%s: %v", m.Path(), err)
		r = nil
	}
	return func(p *graphops.Place) Known {
		x := p.Graph.Index()
		return func(value string) (string, []graphops.Dim, bool) {
			id, ok := x.Value(value)
			if !ok || r == nil {
				return "", nil, false
			}
			typ := r.Type(p, id)
			return typ.String(), typ.Shape, typ.Shape != nil
		}
	}
}

// graphsOf lists the main graph and the bodies below it with what nodes make
// there.
func graphsOf(m *graphops.Model, known func(*graphops.Place) Known) []graphValues {
	var out []graphValues
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		g := graphValues{path: pathOf(p), known: known(p), ops: map[string]string{}}
		for _, n := range p.Graph.Nodes() {
			for _, o := range n.Outputs() {
				if o != "" {
					g.ops[o] = n.OpType()
				}
			}
		}
		out = append(out, g)
	}
	return out
}

// pathOf is the way to a body as the referees write it.
func pathOf(p *graphops.Place) string {
	if p.Kind != graphops.BodyGraph {
		return ""
	}
	return fmt.Sprintf("%s/%d:%s:%d", pathOf(p.Parent), p.Node, p.Attribute, p.Nth)
}
