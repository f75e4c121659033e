//go:build cgo

package torch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/compare"
)

// TestTorchCaches exports models of one's own that take a cache. It checks what the axes and names are,
// that a fault shows step by step, and what is refused.
func TestTorchCaches(t *testing.T) {
	env := torchRuntime(t)
	script, err := filepath.Abs("../../../testdata/torch/generation.py")
	if err != nil {
		t.Fatal(err)
	}
	const cache = "past_key_values.0.key f32[batch,2,past_sequence,16]"
	for name, c := range map[string]struct {
		dynamic []string
		inputs  string // a part of them
		outputs string
		err     string
		fails   string // the entry of the failure
	}{
		"own": {nil, "attention_mask i64[batch,past_sequence+sequence], position_ids i64[batch,sequence], " + cache, "scores f32[batch,sequence,320], present.0.key f32[batch,2,past_sequence+sequence,16]", "", ""},
		"own, asked": {
			[]string{"input_ids:0=rows", "attention_mask:0=rows", "position_ids:0=rows", "past_key_values:0=rows"},
			"attention_mask i64[rows,7], position_ids i64[rows,3], past_key_values.0.key f32[rows,2,4,16]",
			"scores f32[rows,3,320], present.0.key f32[rows,2,7,16]", "", "",
		},
		"fixed":   {nil, "", "", "StaticCache: has room for a fixed number of positions", ""},
		"early":   {nil, "", "", "DynamicCache: it has dropped positions that left its window of 8", ""},
		"forgets": {nil, "", "", "", "steps"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			s := &Export{Dynamic: c.dynamic, Strategy: []string{"non-strict"}}
			called, _, _ := strings.Cut(name, ",")
			s.Target, s.Out = script+":"+called, filepath.Join(t.TempDir(), "m.onnx")
			r, err := s.Run(t.Context(), env, nil)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("says %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			report := r.Report.(*torchReport)
			var text strings.Builder
			if err := report.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			t.Log(text.String())
			if c.fails != "" {
				if f := report.Attempts[0].Failure; f == nil || f.Entry != c.fails || !r.No || report.File != nil {
					t.Errorf("%+v", report.Attempts[0])
				}
				return
			}
			if !report.OK || !strings.Contains(declared(report.Model.Inputs), c.inputs) || !strings.HasPrefix(declared(report.Model.Outputs), c.outputs) {
				t.Errorf("ok %v, %s → %s", report.OK, declared(report.Model.Inputs), declared(report.Model.Outputs))
			}
			if steps := report.Attempts[0].Steps; len(c.dynamic) == 0 && (steps == nil || steps.Verdict != compare.Pass) {
				t.Errorf("step by step: %+v", steps)
			}
			if says := strings.Contains(text.String(), "assumed: the axes of a cache"); says != (len(c.dynamic) == 0) {
				t.Errorf("what is assumed is said: %v", says)
			}
		})
	}
}

// TestTorchGenerates exports one decoder into a folder, and checks what is refused.
func TestTorchGenerates(t *testing.T) {
	env := torchRuntime(t)
	script, err := filepath.Abs("../../../testdata/torch/generation.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		step Task
		want string
	}{
		"encoder beside it": {Task{Task: "text-generation", Path: script + ":t5"}, "has an encoder beside its decoder: text2text-generation exports both"},
		"no encoder":        {Task{Task: "text2text-generation", Path: script + ":gpt2"}, "has no decoder beside an encoder: text2text-generation needs a model with both; text-generation exports a decoder"},
	} {
		c.step.Out = filepath.Join(t.TempDir(), "new")
		if _, err := c.step.Run(t.Context(), env, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := os.Stat(c.step.Out); err == nil {
			t.Errorf("%s: a folder was written", name)
		}
	}
	for _, noPast := range []bool{false, true} {
		s := &Task{Task: "text-generation", Path: script + ":gpt2", NoPast: noPast}
		s.Out = filepath.Join(t.TempDir(), "new")
		r, err := s.Run(t.Context(), env, nil)
		if err != nil {
			t.Fatal(err)
		}
		report := r.Report.(*generationReport)
		m := report.Members[0].Report
		if !report.OK || (m.Attempts[0].Steps == nil) != noPast || strings.Contains(declared(m.Model.Inputs), "past_key_values.1.value") == noPast {
			t.Errorf("no past %v: %v, %s", noPast, report.OK, declared(m.Model.Inputs))
		}
		if m.File.Path != filepath.Join(s.Out, "model.onnx") || m.Model.Path != m.File.Path {
			t.Errorf("the model is at %s, %s", m.File.Path, m.Model.Path)
		}
		for _, file := range r.Files {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
	}
}
