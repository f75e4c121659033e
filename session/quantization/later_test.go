//go:build cgo

package quantization

import (
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/sessiontest"
)

// TestScalesLater quantizes again if a weight turns out, while the result is saved, to hold what
// integers cannot represent. The result is the same as if its numbers had been known.
func TestScalesLater(t *testing.T) {
	env := sessiontest.Env(t)
	m := graphtest.Model(t, `
		input x f32[2,2]
		init w f32[2,2] 1 2 3 4
		init v f32[2,2] 1 -inf 3 4
		fine: y = MatMul(x, w)
		spoilt: z = MatMul(x, v)
		output y f32
		output z f32`)
	path := filepath.Join(t.TempDir(), "q.onnx")
	said := map[string]bool{}
	env.Progress = func(p session.Progress) { said[p.Phase] = true }
	s := &Quantization{Mode: "dynamic", trialFlags: trialFlags{NoTrial: true}, Saving: flags.Saving{Out: path}}
	result, err := s.Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*Report)
	if len(r.Quantized) != 1 || len(r.Skipped) != 1 || r.Skipped[0].Node != "spoilt" {
		t.Errorf("quantized %v, skipped %v", r.Quantized, r.Skipped)
	}
	if _, err := graphops.Open(path, graphops.OpenOptions{}); err != nil || !said["reading weights"] {
		t.Errorf("%v; phases %v", err, said)
	}
}
