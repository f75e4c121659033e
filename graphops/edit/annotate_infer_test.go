package edit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// TestAnnotateInferred declares the inferred types, and a second time changes nothing.
func TestAnnotateInferred(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[batch,4]
		init w f32[4,3] 1 2 3 4 5 6 7 8 9 10 11 12
		value wrong f32[batch,7]
		value part f32
		output y f32[batch,?]
		h = Relu(x)
		part = MatMul(h, w)
		wrong = Neg(part)
		s = Shape(wrong)
		asked = Abs(wrong)
		y = Exp(asked)
	`)
	o := edit.AnnotateOptions{Types: annotations(t, "asked=f32[n,3]"), Infer: true}
	o.Keep = true
	next, r, err := edit.Annotate(t.Context(), m, m.Places()[0], o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"wrong": "f32[batch,7]", "part": "f32[batch,3]", "h": "f32[batch,4]", "s": "i64[2]", "asked": "f32[n,3]", "y": "f32[batch,3]",
	}
	if diff := cmp.Diff(want, typesIn(next)); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if len(r.Warnings) == 0 || !strings.Contains(strings.Join(r.Warnings, "\n"), `"wrong" is`) {
		t.Errorf("nothing is said of a declaration that the graph contradicts: %q", r.Warnings)
	}
	again, r, err := edit.Annotate(t.Context(), next, next.Places()[0], edit.AnnotateOptions{Infer: true})
	if err != nil || again != next || len(r.Changes) > 0 {
		t.Errorf("a second time changes %v (%v)", r.Changes, err)
	}
}

// typesIn returns the types that a model declares for what its nodes make.
func typesIn(m *graphops.Model) map[string]string {
	out := map[string]string{}
	for _, list := range [][]*graphops.ValueInfo{m.Graph().ValueInfo(), m.Graph().Outputs()} {
		for _, v := range list {
			out[v.Name()] = v.Type().Declaration()
		}
	}
	return out
}
