//go:build cgo

package torch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session"
	"lathe/session/python"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

// torchRuntime returns an environment with a Python that has PyTorch.
func torchRuntime(t *testing.T) session.Env {
	t.Helper()
	path := os.Getenv("LATHE_TORCH_PYTHON")
	if path == "" {
		t.Skip("LATHE_TORCH_PYTHON names no Python with PyTorch; run `make torch`")
	}
	env := sessiontest.Env(t)
	env.Python = func() (python.Interpreter, error) { return python.Interpreter{Path: path, Environ: os.Environ()}, nil }
	return env
}

// TestTorchExport exports a model of every kind and compares each with PyTorch at other batch
// sizes.
func TestTorchExport(t *testing.T) {
	models, err := filepath.Abs("../../../testdata/torch/models.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dynamic  []string
		table    bool
		strategy string // the strategy that is right
	}{
		"nested":      {dynamic: []string{"x:0=batch", "more.dense:0=batch", "more.list.0:0=batch", "more.list.1:0=batch"}, strategy: "non-strict"},
		"resnet":      {dynamic: []string{"input:0=batch"}, strategy: "non-strict"},
		"transformer": {dynamic: []string{"ids:0=batch", "ids:1=sequence"}, strategy: "non-strict"},
		"lstm":        {dynamic: []string{"x:0=batch", "x:1=sequence"}, strategy: "non-strict"},
		"loop":        {dynamic: []string{"x:0=batch"}, strategy: "legacy"},
		"custom":      {dynamic: []string{"x:0=batch"}, table: true, strategy: "non-strict"},
		"Exportable":  {strategy: "non-strict"},
	} {
		t.Run(name, func(t *testing.T) {
			env := torchRuntime(t)
			s := &Export{Dynamic: c.dynamic}
			s.Target, s.Out = models+":"+name, filepath.Join(t.TempDir(), "m.onnx")
			if c.table {
				s.Translations = models + ":TABLE"
			}
			r, err := s.Run(t.Context(), env, nil)
			if err != nil {
				t.Fatal(err)
			}
			report := r.Report.(*torchReport)
			if c.table && !report.Target.NewExporter {
				t.Skip("custom operators, and tables of translations, came later")
			}
			known := strings.HasPrefix(report.Target.Versions["torch"], "2.15.") // the strategy is known only for this version
			if last := report.Attempts[len(report.Attempts)-1]; !report.OK || known && last.Strategy != c.strategy || last.Validation == nil {
				t.Fatalf("%+v by %s: %+v", report, last.Strategy, last.Failure)
			}
			for _, batch := range []string{"1", "5"} {
				v := &sides.Comparison{A: s.Out, Torch: s.Target}
				v.Dim, v.NoStore = []string{"batch=" + batch}, true
				r, err := v.Run(t.Context(), env)
				if err != nil || r.No {
					t.Errorf("batch %s: %v, %+v", batch, err, r.Report)
				}
			}
		})
	}
}

// TestFirstDivergentModule checks that the module is named in which tracing made a model wrong.
func TestFirstDivergentModule(t *testing.T) {
	env := torchRuntime(t)
	models, err := filepath.Abs("../../../testdata/torch/models.py")
	if err != nil {
		t.Fatal(err)
	}
	s := &Export{Dynamic: []string{"x:0=batch"}, Strategy: []string{"legacy"}}
	s.Target, s.Out = models+":gated", filepath.Join(t.TempDir(), "m.onnx")
	r, err := s.Run(t.Context(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := r.Report.(*torchReport)
	v := report.Attempts[0].Validation
	if report.OK || v == nil || v.Modules == nil || v.Modules.First == nil {
		t.Fatalf("%+v", report.Attempts[0])
	}
	if f := v.Modules.First; f.Module != "gate" || f.Class != "Gate" || v.Modules.Right == 0 || v.Modules.Compared <= v.Modules.Right {
		t.Errorf("%+v of %+v", f, v.Modules)
	}
	var text strings.Builder
	if err := r.Report.WriteText(&text); err != nil || !strings.Contains(text.String(), "first divergent module: gate (Gate), value ") {
		t.Errorf("%v:\n%s", err, &text)
	}
}
