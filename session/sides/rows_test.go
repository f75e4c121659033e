//go:build cgo

package sides

import (
	"slices"
	"strings"
	"testing"

	"lathe/session/compare"
	"lathe/session/sessiontest"
)

// TestRows: a model whose batch was made dynamic passes only if it computes several rows as the model with
// the fixed batch computes each alone.
func TestRows(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	const fixed, free = "input x f32[1,4]\noutput y f32[1,4]\n", "input x f32[n,4]\noutput y f32[n,4]\n"
	for name, c := range map[string]struct {
		a, b, dim string
		want      string // in the headline
		verdict   compare.Verdict
	}{
		"right":      {"y = Softmax(x) axis=1", "y = Softmax(x) axis=1", "", "; in b, at n=2 and 5 every row is the same as when run alone", compare.Pass},
		"one size":   {"y = Softmax(x) axis=1", "y = Softmax(x) axis=1", "n=7", "; in b, at n=7 every row is the same as when run alone", compare.Pass},
		"mixed rows": {"y = Div(x, x)", "y = Softmax(x) axis=0", "", `fail: b differs at n=2: value "y", item 0 is`, compare.Fail},
		"both mix":   {"y = Softmax(x) axis=0", "y = Softmax(x) axis=0", "", "at n=2 and 5 rows differ from those run alone", compare.Pass},
		"still fixed": {
			"init s i64[2] 1 4\ny = Reshape(x, s)", "init s i64[2] 1 4\ny = Reshape(x, s)", "", "fail: b does not run at n=2", compare.Fail,
		},
	} {
		s := &Comparison{A: savedModel(t, folder, name+"-a.onnx", fixed+c.a), B: savedModel(t, folder, name+"-b.onnx", free+c.b)}
		if c.dim != "" {
			s.Dim = []string{c.dim}
		}
		r := validated(t, env, s)
		if r.Verdict != c.verdict || !strings.Contains(r.Headline, c.want) || (r.Rows == nil) != (c.verdict == compare.Fail) {
			t.Errorf("%s: %s, %+v", name, r.Headline, r.Rows)
		}
	}
}

// TestRowsNotCompared: what keeps rows from being compared is said, and sizes that A cannot have are refused.
func TestRowsNotCompared(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	a := savedModel(t, folder, "a.onnx", "input x f32[2,4]\noutput y f32[2,4]\ny = Relu(x)")
	half := savedModel(t, folder, "half.onnx", "input x f32[n,4]\noutput y f32[n,4]\nh = Cast(x) to=10\nr = Relu(h)\ny = Cast(r) to=1")
	s := &Comparison{A: a, B: half}
	r := validated(t, env, s)
	if !r.Pass || !slices.ContainsFunc(r.Findings, func(f compare.Finding) bool {
		return f.Case == rowsCase && f.NotRun && strings.HasPrefix(f.Reason, "b was run only at n=2: it computes in other types")
	}) {
		t.Errorf("%s: %+v", r.Headline, r.Findings)
	}
	s.B, s.Dim = savedModel(t, folder, "b.onnx", "input x f32[n,4]\noutput y f32[n,4]\ny = Relu(x)"), []string{"n=3"}
	if _, err := s.Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), "--dim n=3: this size is 2 in a") {
		t.Errorf("a size that is not a multiple: %v", err)
	}
	s.Dim = []string{"n=4"}
	if r := validated(t, env, s); !r.Pass || !strings.Contains(r.Headline, "in b, at n=4 every row") {
		t.Error(r.Headline)
	}
}
