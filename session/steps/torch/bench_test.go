//go:build cgo

package torch

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lathe/session"
	"lathe/session/flags"
	"lathe/session/timing"
)

// TestBenchTorch measures an exported model and the PyTorch model that it was made from, eager and
// compiled, and a model that was made from another one.
func TestBenchTorch(t *testing.T) {
	env := torchRuntime(t)
	models, err := filepath.Abs("../../../testdata/torch/models.py")
	if err != nil {
		t.Fatal(err)
	}
	s := &Export{Dynamic: []string{"x:0=batch", "x:1=sequence"}}
	s.Target, s.Out = models+":lstm", filepath.Join(t.TempDir(), "lstm.onnx")
	if r, err := s.Run(t.Context(), env, nil); err != nil || r.No {
		t.Fatalf("%v, %+v", err, r.Report)
	}
	bench := func(b *timing.Benchmark) (*timing.Report, string) {
		t.Helper()
		b.Models, b.Seconds, b.NoMemory, b.NoStore = []string{s.Out}, 2, true, true
		r, err := b.Run(t.Context(), env)
		if b.Compiled && err != nil && strings.Contains(err.Error(), "has no torch.compile") {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := r.Report.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		report := r.Report.(*timing.Report)
		if r.No == report.Torch[0].Pass {
			t.Errorf("the answer is no: %v, and of PyTorch %+v", r.No, report.Torch)
		}
		return report, text.String()
	}

	same := &timing.Benchmark{TorchTiming: timing.TorchTiming{Torch: models + ":lstm", Compiled: true}}
	same.Batch = "4"
	r, text := bench(same)
	if !r.Torch[0].Pass || len(r.Runs) != 3 || r.Runs[0].Batch != 4 || *r.Runs[1].EPAttached != "torch" || r.Runs[0].Samples < 2 || *r.Runs[1].FirstRunMS < *r.Runs[0].FirstRunMS {
		t.Errorf("%+v of %+v", r.Torch, r.Runs)
	}
	figures := `\d[\d.]* (µs|ms|s)`
	// On a busy machine there may be too few rounds for an interval, or rounds that disagree.
	ratio := ` · [\d.]+×( \[[\d.]+, [\d.]+\]|, which may be noise| by their medians, and [\d.]+× round by round)`
	form := regexp.MustCompile(`^PyTorch ` + figures + ` · torch.compile ` + figures + ratio + `.*\nPyTorch ` + figures + ` · ONNX Runtime ` + figures + ratio)
	if !form.MatchString(text) {
		t.Errorf("begins with\n%.300s", text)
	}

	_, text = bench(&timing.Benchmark{TorchTiming: timing.TorchTiming{Torch: models + ":other_lstm"}})
	if !strings.Contains(strings.SplitN(text, "\n", 2)[0], "does not compute what PyTorch does") {
		t.Errorf("begins with\n%.300s", text)
	}
}

// --torch works with one model that runs in one way.
func TestBenchTorchUsage(t *testing.T) {
	for name, c := range map[string]struct {
		step timing.Benchmark
		want string
	}{
		"alone":   {timing.Benchmark{TorchTiming: timing.TorchTiming{Compiled: true}}, "only with --torch"},
		"batches": {timing.Benchmark{Batch: "1,8", TorchTiming: timing.TorchTiming{Torch: "m.py:f"}}, "one batch"},
		"chains":  {timing.Benchmark{EP: []string{"cpu", "cuda"}, TorchTiming: timing.TorchTiming{Torch: "m.py:f"}}, "one batch"},
		"rate":    {timing.Benchmark{Rate: 5, TorchTiming: timing.TorchTiming{Torch: "m.py:f"}}, "one run after the other"},
		"far":     {timing.Benchmark{Feeding: flags.Feeding{}, Running: flags.Running{On: []string{"ssh gpu1"}}, TorchTiming: timing.TorchTiming{Torch: "m.py:f"}}, "Python of this machine"},
	} {
		c.step.Models = []string{"m.onnx"}
		_, err := c.step.Run(t.Context(), session.Env{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: says %v, want %q", name, err, c.want)
		}
	}
}
