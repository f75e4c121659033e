//go:build cgo

package quantization

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/sessiontest"
)

// TestSaturatingQuantization checks that a quantization that suffers from saturation is tried with
// --reduce-range too, and that both results are reported.
func TestSaturatingQuantization(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	exact := sessiontest.Env(t)
	saturating := exact
	saturating.Runtime = sessiontest.Saturating(exact.Runtime)
	m := graphtest.Model(t, "opset ai.onnx 17\ninput x f32[n,4]\ninit w f32[4,2] 1 -2 3 -4 5 -6 7 -8\noutput y f32[n,2]\ny = MatMul(x, w)")
	for name, c := range map[string]struct {
		env    session.Env
		reduce bool
		tried  bool
	}{"saturating": {saturating, false, true}, "reduced already": {saturating, true, false}, "exact": {exact, false, false}} {
		t.Run(name, func(t *testing.T) {
			if name == "exact" && !sessiontest.HasExactSums() {
				t.Skip("the sums of this processor saturate")
			}
			s := &Quantization{Mode: "dynamic", ReduceRange: c.reduce}
			result, r, err := s.Quantize(t.Context(), c.env, m)
			if err != nil {
				t.Fatal(err)
			}
			trial := &trialReport{}
			if _, _, err = s.judge(t.Context(), c.env, m, result, trial); err != nil {
				t.Fatal(err)
			}
			r.Trial = trial
			if err := s.tryReduced(t.Context(), c.env, m, r); err != nil || (trial.Reduced != nil) != c.tried {
				t.Fatalf("reduced %+v, error %v", trial.Reduced, err)
			}
			worse := strings.Join(append(trial.worse(), trial.lines()...), "; ")
			if said := strings.Contains(worse, "with --reduce-range"); said != c.tried {
				t.Errorf("%q", worse)
			}
			if list := r.Retry(); (len(list) == 1 && list[0].Name == "reduce-range") != c.tried {
				t.Errorf("suggests %v", list)
			}
		})
	}
}
