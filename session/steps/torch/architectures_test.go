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
)

// TestTorchArchitectures exports small transformers of many architectures for their tasks. A script
// that does not know Lathe runs each file and the transformer in three sizes.
func TestTorchArchitectures(t *testing.T) {
	folder, named := t.TempDir(), regexp.MustCompile("^("+*corpusName+")$")
	if *corpusKeep != "" {
		folder = *corpusKeep
	}
	var tasks map[string]string
	if err := json.Unmarshal(runScript(t, "architectures.py"), &tasks); err != nil {
		t.Fatal(err)
	}
	if *corpusName != "" {
		maps.DeleteFunc(tasks, func(name, _ string) bool { return !named.MatchString(name) })
	}
	exportTasks(t, folder, tasks)
	right := 0
	names := slices.Sorted(maps.Keys(tasks))
	for line := range bytes.Lines(runScript(t, "judge_tasks.py", append([]string{folder}, names...)...)) {
		var j struct {
			Right   bool
			Name    string
			Task    string
			Error   string
			OfLimit float64 `json:"of_limit"`
			Inputs  string
			Outputs string
		}
		if err := json.Unmarshal(line, &j); err != nil {
			t.Fatal(err)
		}
		if !j.Right {
			t.Errorf("%s, %s: wrong: %s (%v of the limit)", j.Name, j.Task, j.Error, j.OfLimit)
			continue
		}
		t.Logf("%-16s %-24s %s -> %s", j.Name, j.Task, j.Inputs, j.Outputs)
		right++
	}
	t.Logf("%d of %d are right", right, len(tasks))
}

// exportTasks exports every model of testdata/torch/architectures.py, several at a time.
func exportTasks(t *testing.T, folder string, tasks map[string]string) {
	t.Helper()
	env := torchRuntime(t)
	script, err := filepath.Abs("../../../testdata/torch/architectures.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("export", func(t *testing.T) {
		for name, task := range tasks {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := &Task{Task: task, Path: script + ":" + name}
				s.Out = filepath.Join(folder, name+".onnx")
				r, err := s.Run(t.Context(), env, nil)
				if err != nil {
					t.Fatal(err)
				}
				var out strings.Builder
				if err := r.Report.WriteText(&out); err != nil || r.No {
					t.Errorf("%v: %s", err, out.String())
				}
			})
		}
	})
}
