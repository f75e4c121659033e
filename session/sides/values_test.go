//go:build cgo

package sides

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/sessiontest"
)

// TestValidateValues computes outputs and layers of a report again, and checks that they differ as
// much as it says.
func TestValidateValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
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
	s := &Comparison{A: paths[0], B: paths[1]}
	s.Layers = true
	result, err := s.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*Report)
	if a, b := r.Models(); a == nil || b == nil {
		t.Fatal("the models are not remembered")
	}
	check := func(of reporting.ComparedValue, want tensor.Number) {
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
			check(reporting.ComparedValue{Case: c.Name, Output: o.Name}, *o.MaxAbs)
		}
	}
	for i, l := range r.Layers {
		check(reporting.ComparedValue{Layer: i, Local: true}, l.Local.MaxAbs)
		check(reporting.ComparedValue{Layer: i}, l.Accumulated.MaxAbs)
	}
	for _, of := range []reporting.ComparedValue{{Case: "none", Output: "z"}, {Case: "seed 0", Output: "none"}, {Layer: 99}} {
		if _, _, err := r.Values(t.Context(), env, of); err == nil {
			t.Errorf("%+v: no error", of)
		}
	}
	data, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, stale := range []func() error{
		func() error {
			return os.WriteFile(paths[1], graphtest.Bytes(t, "input x f32[n,4]\noutput z f32[n,4]\nz = Neg(x)"), 0o600)
		},
		func() error { return errors.Join(os.Remove(paths[1]), os.WriteFile(paths[1], data, 0o600)) },
		func() error { return os.Remove(paths[1]) },
	} {
		if err := stale(); err != nil {
			t.Fatal(err)
		}
		for _, of := range []reporting.ComparedValue{{Case: "seed 0", Output: "z"}, {Layer: 0}} {
			if _, _, err := r.Values(t.Context(), env, of); err == nil || !strings.HasPrefix(err.Error(), "model b has changed since the comparison: ") {
				t.Errorf("%+v of a file that changed: %v", of, err)
			}
		}
	}
	var bare bytes.Buffer
	if err := r.WriteText(&bare); err != nil || bare.Len() == 0 {
		t.Error(err)
	}
	if _, _, err := (&Report{Report: r.Report}).Values(t.Context(), env, reporting.ComparedValue{Output: "z"}); err == nil {
		t.Error("a report that nobody can run again gives values")
	}
}

// TestStaleData changes the data after a comparison, and checks that no other values are shown.
func TestStaleData(t *testing.T) {
	env := sessiontest.Env(t)
	env.Progress = func(session.Progress) {}
	dir := t.TempDir()
	model, data := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "x.json")
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(model, graphtest.Bytes(t, "input x f32[2]\noutput z f32[2]\nz = Neg(x)"))
	write(data, []byte(`{"x": [1, 2]}`))
	s := &Comparison{A: model, B: model}
	s.Data = data
	result, err := s.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*Report)
	of := reporting.ComparedValue{Case: r.Cases[0].Name, Output: "z"}
	if _, _, err := r.Values(t.Context(), env, of); err != nil {
		t.Fatal(err)
	}
	write(data, []byte(`{"x": [1, 3]}`))
	if _, _, err := r.Values(t.Context(), env, of); err == nil || !strings.Contains(err.Error(), "have changed since the comparison") {
		t.Errorf("other data: %v", err)
	}
}
