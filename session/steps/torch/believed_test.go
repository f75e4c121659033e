//go:build cgo

package torch

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/sides"
	"lathe/session/steps/cut"
)

// believed exports a model of testdata/torch/believed.py.
func believed(t *testing.T, env session.Env, name string, s *Export) (*torchReport, session.Result, string) {
	t.Helper()
	models, err := filepath.Abs("../../../testdata/torch/believed.py")
	if err != nil {
		t.Fatal(err)
	}
	return exportedFrom(t, env, models+":"+name, s)
}

// exportedFrom exports a target and returns the text of the report.
func exportedFrom(t *testing.T, env session.Env, target string, s *Export) (*torchReport, session.Result, string) {
	t.Helper()
	s.Target, s.Out = target, filepath.Join(t.TempDir(), "m.onnx")
	r, err := s.Run(t.Context(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	report := r.Report.(*torchReport)
	if !report.Target.NewExporter {
		t.Skipf("PyTorch %s has the old exporter alone", report.Target.Versions["torch"])
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return report, r, text.String()
}

// TestTorchBelieved exports models for which it is easy to call a wrong file right or a right file
// wrong, and checks what the report says.
func TestTorchBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		step Export
		no   bool
		says []string
	}{
		"counts":      {Export{Dynamic: []string{"x:0=batch"}}, false, []string{"equal to PyTorch", "keeps something between calls, self.n;"}},
		"grows":       {Export{}, false, []string{"equal to PyTorch", "keeps something between calls, self.seen;"}},
		"caches":      {Export{}, false, []string{"equal to PyTorch", "self.keys, and a second call on the example gives the same"}},
		"rare":        {Export{Dynamic: []string{"x:0=batch", "x:1=seq"}}, true, []string{"exported by legacy", "right for the path of the example alone: believed.py:", "with values that take another path the model differs from PyTorch"}},
		"seven":       {Export{Dynamic: []string{"x:0=batch"}}, true, []string{"right for the path of the example alone: believed.py:", "with batch=7 the model differs from PyTorch"}},
		"checks":      {Export{Dynamic: []string{"x:0=batch"}}, false, []string{"equal to PyTorch"}},
		"step":        {Export{}, false, []string{"exported by non-strict", `output "state" is called "state_out": an input has that name`}},
		"weight":      {Export{}, false, []string{"equal to PyTorch", "again  f32  2×3", "x      f32  2×3"}},
		"turned":      {Export{}, false, []string{"equal to PyTorch", "z  f32  3×2"}},
		"turned_wide": {Export{}, true, []string{"does not load"}}, // PyTorch 2.15 writes what ONNX Runtime cannot load
		"records":     {Export{Dynamic: []string{"batch.x:0=n", "batch.inner.y:0=n"}}, false, []string{"exported by non-strict", "batch_inner_y  f32  n×3"}},
		"best":        {Export{}, false, []string{"equal to PyTorch", "where they choose equal values"}},
		"two":         {Export{Strategy: []string{"legacy"}, Dynamic: []string{"x:2=h", "x:3=w"}}, false, []string{"output_0  f32  2×3×2*h×2*w"}},
		"seven_old":   {Export{Strategy: []string{"legacy"}, Dynamic: []string{"x:0=batch"}}, true, []string{"with batch=7 the model differs from PyTorch"}},
		"classifier":  {Export{Opset: 17, Dynamic: []string{"ids:0=batch", "ids:1=seq"}}, false, []string{"exported by legacy, opset 17", "the exporter wrote 18"}},
		"logarithms":  {Export{Strategy: []string{"non-strict"}}, false, []string{"equal to PyTorch"}},
		"scorer":      {Export{Dynamic: []string{"x:0=batch"}}, false, []string{"exported by non-strict", "best_logits", "all_0_loss"}},
		"threshold":   {Export{Dynamic: []string{"x:0=batch"}}, true, []string{"right for the path of the example alone: believed.py:", "with batch=6 the model differs from PyTorch"}},
		"chooses":     {Export{Dynamic: []string{"x:0=batch"}}, true, []string{"exported by legacy", "right for the path of the example alone: believed.py:", "if x.sum() > 0", "with values that take another path"}},
		"hides":       {Export{}, false, []string{"exported by non-strict", "equal to PyTorch"}},
		"hides_old":   {Export{Strategy: []string{"legacy"}}, true, []string{"right unless a mask leaves nothing of a row", "one path: for such a row"}},
		"noisy":       {Export{}, true, []string{"cannot be judged", "on these inputs that does not show"}},
		"tagger":      {Export{Strategy: []string{"non-strict"}}, true, []string{"fast path", "torch.backends.mha.set_fastpath_enabled(False)"}},
	} {
		t.Run(name, func(t *testing.T) {
			report, r, text := believed(t, torchRuntime(t), name, &c.step)
			if r.No != c.no || report.OK == c.no {
				t.Errorf("right: %v\n%s", report.OK, text)
			}
			for _, part := range c.says {
				if !strings.Contains(text, part) {
					t.Errorf("does not say %q:\n%s", part, text)
				}
			}
		})
	}
}

// TestTorchFilledAgain checks that a model exported without weights and filled with the state of
// another model computes the same as that model, bit for bit.
func TestTorchFilledAgain(t *testing.T) {
	for _, strategy := range []string{"non-strict", "legacy"} {
		t.Run(strategy, func(t *testing.T) {
			env := torchRuntime(t)
			bare := &Export{NoInitializers: true, Strategy: []string{strategy}}
			if _, r, text := believed(t, env, "untrained", bare); r.No {
				t.Fatal(text)
			}
			weights := filepath.Join(t.TempDir(), "w.pt")
			python, err := env.Python()
			if err != nil {
				t.Fatal(err)
			}
			code := "import sys, torch; sys.path.insert(0, sys.argv[1]); torch.manual_seed(0); import believed; torch.save(believed.normed()[0].state_dict(), sys.argv[2])"
			if said, err := exec.CommandContext(t.Context(), python.Path, "-c", code, "../../../testdata/torch", weights).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			m, err := graphops.Open(bare.Out, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e := &cut.Export{}
			e.Weights, e.Out = weights, filepath.Join(t.TempDir(), "filled.onnx")
			if _, err := e.Run(t.Context(), env, m); err != nil {
				t.Fatal(err)
			}
			v := &sides.Comparison{A: e.Out, Torch: strings.Replace(bare.Target, "untrained", "normed", 1)}
			v.NoStore = true
			r, err := v.Run(t.Context(), env)
			if err != nil || r.No {
				t.Errorf("%v, %+v", err, r.Report)
			}
		})
	}
}

// TestTorchTrainsNot checks that an export for training has the model's statistics, and not those
// that the exporter's run changed.
func TestTorchTrainsNot(t *testing.T) {
	env := torchRuntime(t)
	report, _, text := believed(t, env, "trains", &Export{Training: true})
	if !report.OK || !strings.Contains(text, "every parameter is an initializer with its elements") {
		t.Error(text)
	}
}

// TestTorchBlames checks that the wrong module is named if its result is a tuple.
func TestTorchBlames(t *testing.T) {
	env := torchRuntime(t)
	s := &Export{}
	if _, r, text := believed(t, env, "forgetful", s); r.No {
		t.Fatal(text)
	}
	v := &sides.Comparison{A: s.Out, Torch: strings.Replace(s.Target, "forgetful", "recurrent", 1)}
	v.NoStore = true
	r, err := v.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Report.(*sides.Report).Modules; m == nil || m.First == nil || m.First.Module != "lstm" {
		t.Errorf("%+v", m)
	}
}
