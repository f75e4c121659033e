//go:build cgo && torch

package torch

import (
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
// to equal PyTorch, and itself step by step.
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
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		if *corpusName != "" && !named.MatchString(name) {
			continue
		}
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
}
