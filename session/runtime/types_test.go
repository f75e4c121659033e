package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

func TestTypeOfKind(t *testing.T) {
	f32 := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
	seq := graphops.Type{Kind: graphops.TypeSequence, Of: &f32}
	byID := graphops.Type{Kind: graphops.TypeMap, Elem: tensor.I64, Of: &f32}
	for kind, want := range map[string]graphops.Type{
		"seq(f32)":           seq,
		"opt(seq(f32))":      {Kind: graphops.TypeOptional, Of: &seq},
		"seq(map(i64,f32))":  {Kind: graphops.TypeSequence, Of: &byID},
		"sparse(f32)":        {Kind: graphops.TypeSparse, Elem: tensor.F32},
		"opaque":             {},
		"seq(opaque)":        {},
		"list(f32)":          {},
		"map(f32)":           {},
		"map(nothing,f32)":   {},
		"seq()":              {},
		"seq(":               {},
		"":                   {},
		"seq(…)":             {},
		"seq(seq(seq(f32)))": {Kind: graphops.TypeSequence, Of: &graphops.Type{Kind: graphops.TypeSequence, Of: &seq}},
	} {
		t.Run(kind, func(t *testing.T) {
			got := typeOfKind(kind)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want.Kind != graphops.TypeUnknown && got.String() != kind {
				t.Errorf("spelled again: %q", got.String())
			}
		})
	}
}

func TestTypeOfKindIsBounded(t *testing.T) {
	kind := strings.Repeat("seq(", 1000) + "f32" + strings.Repeat(")", 1000)
	if got := typeOfKind(kind); got.Kind != graphops.TypeUnknown {
		t.Errorf("got %s", got)
	}
}

// Large weights become inputs, once each. Constants that shape inference needs stay.
func TestDeclareWeights(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[n,64]
		input w f32[64,64]
		output y f32
		init w f32[64,64] 1
		init v f32[64,64] 2
		init s i64[2] -1 64
		h = MatMul(x, w)
		k = MatMul(h, v)
		y = Reshape(k, s)
	`)
	e := graphops.Edit(m)
	if !declareWeights(e) {
		t.Fatal("nothing was declared")
	}
	edited := e.Model()
	got := map[string][]string{}
	for _, v := range edited.Graph().Inputs() {
		got["inputs"] = append(got["inputs"], v.Name()+" "+v.Type().Shape.String())
	}
	for _, i := range edited.Graph().Initializers() {
		got["initializers"] = append(got["initializers"], i.Name())
	}
	want := map[string][]string{
		"inputs":       {"x n×64", "w 64×64", "v 64×64"},
		"initializers": {"s"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if declareWeights(graphops.Edit(edited)) {
		t.Error("a second time something was declared")
	}
}
