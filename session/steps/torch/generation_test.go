//go:build cgo

package torch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/session/reporting"
	"lathe/session/sessiontest"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// TestGenerationModels lists the files of the tasks that generate.
func TestGenerationModels(t *testing.T) {
	for _, c := range []struct {
		task   string
		noPast bool
		want   string
	}{
		{torch.TextGeneration, false, "model.onnx text-generation"},
		{torch.TextGeneration, true, "model.onnx text-generation-no-past"},
		{torch.Text2Text, false, "encoder_model.onnx text2text-encoder, decoder_model.onnx text2text-decoder, decoder_with_past_model.onnx text2text-decoder-with-past"},
		{torch.Text2Text, true, "encoder_model.onnx text2text-encoder, decoder_model.onnx text2text-decoder-no-past"},
		{"default", false, ""},
	} {
		s := &Task{Task: c.task, NoPast: c.noPast}
		var got []string
		for _, m := range s.models() {
			got = append(got, m.file+" "+m.task)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s, no past %v: %q, want %q", c.task, c.noPast, got, c.want)
		}
	}
	if e := (&Task{Task: torch.TextGeneration}).export(); e.Opset != oldestOfNew || len(e.Strategy) > 0 {
		t.Errorf("a model with a cache is exported to opset %d by %q: tracing makes constants of sizes", e.Opset, e.Strategy)
	}
}

// TestGenerationRefuses checks what is said before anything runs.
func TestGenerationRefuses(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	for _, c := range []struct {
		step Task
		out  string
		want string
	}{
		{Task{Task: torch.Text2Text}, "m.onnx", "writes 3 models; --out names a new folder"},
		{Task{Task: torch.Text2Text, NoPast: true}, "m.ONNX", "writes 2 models"},
		{Task{Task: torch.TextGeneration, NoPast: true, AllMatMuls: true}, "new", "has an effect only with --quantize"},
		{Task{Task: "pooling", NoPast: true}, "m.onnx", "--no-past: has an effect only with text-generation and text2text-generation"},
		{Task{Task: torch.TextGeneration}, ".", "exists already, and a folder is never replaced"},
		{Task{Task: torch.TextGeneration}, "none/new", "none"},
	} {
		s := c.step
		s.Path, s.Out = "model.py:make", filepath.Join(folder, c.out)
		if _, err := s.Run(t.Context(), env, nil); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s -o %s: %v, want %q", s.Task, c.out, err, c.want)
		}
	}
	s := Task{Task: torch.TextGeneration, Path: "model.py:make"}
	s.Out, s.Force = filepath.Join(folder, "new"), true
	if _, err := s.Run(t.Context(), env, nil); err == nil || !strings.Contains(err.Error(), "--force: a folder is never replaced") {
		t.Errorf("--force: %v", err)
	}
}

// TestCompanions copies what belongs to a transformer, and nothing else.
func TestCompanions(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &generationReport{config: "{}"}
	if err := (&Task{Path: from}).companions(to, r); err != nil || !slices.Equal(r.Copied, []string{"config.json", "tokenizer.json"}) || r.Made != "" {
		t.Errorf("copied %q, made %q, %v", r.Copied, r.Made, err)
	}
	if list, err := os.ReadDir(to); err != nil || len(list) != 2 {
		t.Errorf("the folder has %v, %v", list, err)
	}
	r, to = &generationReport{config: `{"model_type": "llama"}`}, t.TempDir()
	if err := (&Task{Path: "model.py:make"}).companions(to, r); err != nil || r.Made != "config.json" || len(r.Copied) > 0 {
		t.Errorf("copied %q, made %q, %v", r.Copied, r.Made, err)
	}
	if got, err := os.ReadFile(filepath.Join(to, "config.json")); err != nil || !json.Valid(got) {
		t.Errorf("%s, %v", got, err)
	}
}

// TestGenerationReport writes a folder that was written, and one that was not.
func TestGenerationReport(t *testing.T) {
	member := func(ok bool) generationMember {
		r := newTorchReport()
		r.OK, r.Target.Assumed = ok, []string{"a window"}
		if ok {
			r.taken = &attempt{Strategy: "non-strict", Opset: 18}
			r.File, r.Model = &reporting.SavedFile{Path: "new/model.onnx"}, &exported{Nodes: 3}
			r.Attempts = append(r.Attempts, r.taken)
		}
		return generationMember{File: "model.onnx", Report: r, no: !ok}
	}
	for _, c := range []struct {
		r    generationReport
		ok   bool
		want []string
	}{
		{generationReport{Out: "new", Members: []generationMember{member(true)}, Copied: []string{"tokenizer.json"}, Made: "config.json"}, true, []string{
			"model.onnx: exported by non-strict, opset 18, 3 nodes", "assumed: a window\n", "wrote the folder new: 1 model; copied tokenizer.json; config.json from the configuration",
		}},
		{generationReport{Members: []generationMember{member(true), member(false)}}, false, []string{"model.onnx: not exported", "no folder was written"}},
	} {
		c.r.settle()
		var b strings.Builder
		if err := c.r.WriteText(&b); err != nil || c.r.OK != c.ok {
			t.Errorf("ok %v, %v", c.r.OK, err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q in:\n%s", want, b.String())
			}
		}
		if files := c.r.files(); (len(files) == 3) != c.ok {
			t.Errorf("files %q", files)
		}
	}
}

// TestBelow expands the name of a cache to its tensors.
func TestBelow(t *testing.T) {
	list := []torch.Leaf{
		{Path: "ids", Shape: []int64{2, 3}},
		{Path: "past.0.key", Shape: []int64{2, 4, 5, 8}},
		{Path: "past.0.value", Shape: []int64{2, 4, 5, 8}},
		{Path: "past.1.state", Shape: []int64{2, 4}},
		{Path: "pastime", Shape: []int64{2, 4, 5, 8}},
	}
	got := below(torch.DynamicAxis{Path: "past", Axis: 2, Symbol: "p"}, list)
	if len(got) != 2 || got[0].Path != "past.0.key" || got[1] != (torch.DynamicAxis{Path: "past.0.value", Axis: 2, Symbol: "p"}) {
		t.Errorf("past:2 is %v", got)
	}
	if got := below(torch.DynamicAxis{Path: "ids"}, list); got != nil {
		t.Errorf("a tensor has %v below it", got)
	}
}

// TestGenerationSuggests offers in the workbench what the model that failed suggests.
func TestGenerationSuggests(t *testing.T) {
	failed := newTorchReport()
	failed.Attempts = []*attempt{{Strategy: "legacy", Error: "no function", Suggestion: "--opset 20", Failure: &failure.Failure{Next: []failure.Suggestion{{Kind: "flags", Flags: []string{"--opset", "20"}}}}}}
	r := &generationReport{Members: []generationMember{{Report: newTorchReport()}, {Report: failed}}}
	if got := r.Retry(); len(got) != 1 || got[0].Name != "opset" || got[0].Values[0] != "20" {
		t.Errorf("suggests %v", got)
	}
	if wrong, remedy := r.Wrong(); wrong != "no function" || remedy != "--opset 20" {
		t.Errorf("%q, %q", wrong, remedy)
	}
	if got := (&generationReport{}).Retry(); got != nil {
		t.Errorf("nothing was tried, and it suggests %v", got)
	}
}
