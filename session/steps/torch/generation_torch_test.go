//go:build cgo && torch

package torch

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lathe/session/compare"
)

// TestTorchGeneration exports small models that generate, of many families, with their caches. Each has
// to equal PyTorch, and itself step by step. A script that does not know Lathe generates with each, and
// compares the tokens with those of transformers.
func TestTorchGeneration(t *testing.T) {
	env := torchRuntime(t)
	named := regexp.MustCompile("^(" + *corpusName + ")$")
	script, err := filepath.Abs("../../../testdata/torch/generation.py")
	if err != nil {
		t.Fatal(err)
	}
	var tasks map[string]string
	if err := json.Unmarshal(runScript(t, "generation.py"), &tasks); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if *corpusKeep != "" {
		folder = *corpusKeep
	}
	if *corpusName != "" {
		maps.DeleteFunc(tasks, func(name, _ string) bool { return !named.MatchString(name) })
	}
	names := slices.Sorted(maps.Keys(tasks))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := &Task{Task: tasks[name], Path: script + ":" + name}
			s.Out = filepath.Join(folder, name)
			r, err := s.Run(t.Context(), env, nil)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := r.Report.WriteText(&out); err != nil || r.No {
				t.Fatalf("%v: %s", err, out.String())
			}
			report := r.Report.(*generationReport)
			last := report.Members[len(report.Members)-1]
			if steps := last.Report.taken.Steps; steps == nil || steps.Verdict != compare.Pass {
				t.Errorf("step by step: %+v", steps)
			}
			for _, m := range report.Members {
				t.Logf("%s %s: %s", name, m.File, m.Report.headline())
			}
		})
	}
	for line := range bytes.Lines(runScript(t, "judge_generation.py", append([]string{folder}, names...)...)) {
		var j struct {
			Name, Error   string
			Right         bool
			Tokens        int
			Apart, Margin float64
		}
		if err := json.Unmarshal(line, &j); err != nil {
			t.Fatal(err)
		}
		if t.Logf("%s: %d tokens, scores apart by %.1e of the largest, nearest choice %.2g", j.Name, j.Tokens, j.Apart, j.Margin); !j.Right {
			t.Errorf("%s: generates other tokens than transformers: %s", j.Name, j.Error)
		}
	}
}
