//go:build cgo

package layers_test

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/layers"
	"lathe/session/sessiontest"
)

// TestValues computes the values of every layer again and checks that they differ as much as the
// comparison reported.
func TestValues(t *testing.T) {
	a := graphtest.Model(t, chain)
	b := graphtest.Model(t, strings.Replace(strings.Replace(chain, "init s f32[4] 0.1", "init s f32[4] 0.11", 1), "re: r = Relu(g)", "c = Cast(g) to=10\nd = Relu(c)\nr = Cast(d) to=1", 1))
	r := compare(t, a, b, feeds(), layers.Options{})
	on := sessiontest.Workers(t)
	for i, l := range r.Layers {
		for local, want := range map[bool]*tensor.Metrics{true: l.Local, false: l.Accumulated} {
			va, vb, err := r.Values(t.Context(), on, on, i, local)
			if err != nil {
				t.Errorf("%s, local %v: %v", l.A, local, err)
				continue
			}
			got, err := tensor.Compare(va.Tensor, vb.Tensor, tensor.Tolerance{})
			if err != nil || want == nil || got.MaxAbs != want.MaxAbs || got.RMS != want.RMS {
				t.Errorf("%s, local %v: %+v, the comparison said %+v (%v)", l.A, local, got, want, err)
			}
		}
	}
	if _, _, err := r.Values(t.Context(), on, on, len(r.Layers), true); err == nil {
		t.Error("a layer that is not there has values")
	}
}
