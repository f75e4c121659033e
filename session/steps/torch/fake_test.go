//go:build cgo

package torch

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session"
	"lathe/session/filling"
	"lathe/session/sides"
	"lathe/session/steps/cut"
)

// TestTorchFake checks that a model exported without weights and then filled is equal to one
// exported with weights. If the file lacks weights, the report says so and nothing is written.
func TestTorchFake(t *testing.T) {
	env := torchRuntime(t)
	models, err := filepath.Abs("../../../testdata/torch/models.py")
	if err != nil {
		t.Fatal(err)
	}
	python, err := env.Python()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := fmt.Sprintf("import sys; sys.path.insert(0, %q); import models; models.write_heavy(%q)", filepath.Dir(models), dir)
	if out, err := exec.Command(python.Path, "-c", write).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	export := func(t *testing.T, name, weights string) (session.Result, string, error) {
		s := &Export{Dynamic: []string{"ids:0=batch"}, Fake: true}
		if weights != "" {
			s.Weights = filepath.Join(dir, weights)
		}
		s.Target, s.Out = models+":heavy", filepath.Join(t.TempDir(), name)
		r, err := s.Run(t.Context(), env, nil)
		return r, s.Out, err
	}
	r, empty, err := export(t, "empty.onnx", "")
	if err != nil && strings.Contains(err.Error(), "--fake needs the exporter of PyTorch 2.5") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if report := r.Report.(*torchReport); len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "the model has no weights yet") {
		t.Errorf("%q", report.Warnings)
	}
	_, few, err := export(t, "few.onnx", "few.npz")
	if err == nil || !strings.Contains(err.Error(), `few.npz: "norm.bias" has no value in the model and none in the file`) {
		t.Errorf("%v", err)
	}
	if _, err := env.Open(few); err == nil {
		t.Error("it is written")
	}
	m, err := env.Open(empty)
	if err != nil {
		t.Fatal(err)
	}
	later := &cut.Export{Flags: filling.Flags{Weights: filepath.Join(dir, "all.npz")}}
	later.Out = filepath.Join(t.TempDir(), "later.onnx")
	if _, err := later.Run(t.Context(), env, m); err != nil {
		t.Fatal(err)
	}
	for _, weights := range []string{"all.pt", "all.npz", "shared.npz"} {
		r, full, err := export(t, "full.onnx", weights)
		if err != nil {
			t.Fatalf("%s: %v", weights, err)
		}
		report := r.Report.(*torchReport)
		if last := report.Attempts[len(report.Attempts)-1]; !report.OK || last.Validation == nil || len(report.Warnings) > 0 || len(report.Filled.Fits) != 7 {
			t.Errorf("%s: %+v, %+v", weights, report, last.Failure)
		}
		v := &sides.Comparison{A: full, B: later.Out}
		v.NoStore = true
		if r, err := v.Run(t.Context(), env); err != nil || r.No {
			t.Errorf("%s: %v, %+v", weights, err, r.Report)
		}
	}
}

// TestTorchFakeRefuses checks errors for combinations of options, which do not need Python.
func TestTorchFakeRefuses(t *testing.T) {
	for want, s := range map[string]Export{
		"--weights: fills a model that was made with --fake": {Weights: "w.npz"},
		"--fake: needs the new exporter":                     {Fake: true, Strategy: []string{"strict", "legacy"}},
		"--fake: cannot be combined with --training":         {Fake: true, Training: true},
		"--fake: there are no weights to verify with":        {Fake: true, Verify: true},
	} {
		_, err := s.Run(t.Context(), session.Env{}, nil)
		var usage session.UsageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
