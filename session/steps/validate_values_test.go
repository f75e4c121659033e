//go:build cgo

package steps

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
)

// TestValidateValues makes outputs and layers of a report again: they are as far apart as
// it says.
func TestValidateValues(t *testing.T) {
	env := realRuntime(t)
	env.Progress = func(session.Progress) {}
	dir := t.TempDir()
	var paths []string
	for _, model := range []string{"x", "y"} {
		text := "input x f32[n,4]\ninit w f32[4] 1 2 3 4\noutput z f32[n,4]\nm: h = Mul(x, w)\nr: z = Tanh(h)"
		if model == "y" {
			text = "input x f32[n,4]\ninit w f32[4] 1 2 3 5\noutput z f32[n,4]\nm: h = Mul(x, w)\nr: z = Tanh(h)"
		}
		path := filepath.Join(dir, model+".onnx")
		if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	s := &Validate{A: paths[0], B: paths[1]}
	s.Layers = true
	result, err := s.Run(t.Context(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*ValidateReport)
	if a, b := r.Models(); a == nil || b == nil {
		t.Fatal("the models are not remembered")
	}
	check := func(of session.ComparedValue, want tensor.Number) {
		t.Helper()
		a, b, err := r.Values(t.Context(), env, of)
		if err != nil {
			t.Fatalf("%+v: %v", of, err)
		}
		m, err := tensor.Compare(a.Tensor, b.Tensor, tensor.Tolerance{})
		if err != nil || m.MaxAbs != float64(want) {
			t.Errorf("%+v: %g apart, the report says %g (%v)", of, m.MaxAbs, float64(want), err)
		}
	}
	for _, c := range r.Cases[:2] {
		for _, o := range c.Outputs {
			check(session.ComparedValue{Case: c.Name, Output: o.Name}, *o.MaxAbs)
		}
	}
	for i, l := range r.Layers {
		check(session.ComparedValue{Layer: i, Local: true}, l.Local.MaxAbs)
		check(session.ComparedValue{Layer: i}, l.Accumulated.MaxAbs)
	}
	for _, of := range []session.ComparedValue{{Case: "none", Output: "z"}, {Case: "seed 0", Output: "none"}, {Layer: 99}} {
		if _, _, err := r.Values(t.Context(), env, of); err == nil {
			t.Errorf("%+v: no error", of)
		}
	}
	var bare bytes.Buffer
	if err := r.WriteText(&bare); err != nil || bare.Len() == 0 {
		t.Error(err)
	}
	if _, _, err := (&ValidateReport{Report: r.Report}).Values(t.Context(), env, session.ComparedValue{Output: "z"}); err == nil {
		t.Error("a report that nobody can run again gives values")
	}
}
