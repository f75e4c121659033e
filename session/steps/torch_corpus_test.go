//go:build cgo && torch

package steps

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/session"
)

var corpusOnly = flag.String("corpus", "", "the one file of programs to export, without .py")

// judgement is what testdata/torch/judge.py says of a program.
type judgement struct {
	Program     string `json:"program"`
	Dynamo      string `json:"dynamo"`
	TorchScript string `json:"torchscript"`
	File        string `json:"file"`
}

// outcome is what Lathe made of a program: right, conditional, or refused and why.
func corpusOutcome(r session.Result, report *TorchReport) string {
	switch {
	case !r.No:
		return "right"
	case report.taken != nil:
		return "conditional"
	}
	last := report.Attempts[len(report.Attempts)-1]
	if last.Failure != nil && last.Failure.Entry != "" {
		return "refused: " + last.Failure.Entry
	}
	return "refused"
}

// TestTorchCorpus exports every program of testdata/torch/corpus and has each file judged by a
// script that does not know where it comes from. No wrong file is called right, and where
// torch.onnx.export by itself makes a right file, so does Lathe.
func TestTorchCorpus(t *testing.T) {
	env := torchRuntime(t)
	python, err := env.Python()
	if err != nil {
		t.Fatal(err)
	}
	judge := func(out any, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), python.Path, append([]string{"../../testdata/torch/judge.py"}, args...)...)
		var said strings.Builder
		cmd.Stderr = &said
		line, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(line, out)
		}
		if err != nil {
			t.Fatalf("judge.py %q: %v: %s", args, err, said.String())
		}
	}
	files, err := filepath.Glob("../../testdata/torch/corpus/*.py")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, file := range files {
		theme := strings.TrimSuffix(filepath.Base(file), ".py")
		if theme == "free" || *corpusOnly != "" && theme != *corpusOnly {
			continue
		}
		var programs []struct {
			Name string   `json:"name"`
			Free []string `json:"free"`
		}
		judge(&programs, file)
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			t.Run(theme+"/"+p.Name, func(t *testing.T) {
				s := &TorchExport{Dynamic: p.Free}
				s.Target, s.Out = path+":"+p.Name, filepath.Join(t.TempDir(), "m.onnx")
				r, err := s.Run(t.Context(), env, nil)
				if err != nil {
					t.Fatalf("%s: %v", p.Name, err)
				}
				said := corpusOutcome(r, r.Report.(*TorchReport))
				var j judgement
				judge(&j, file, p.Name, s.Out)
				line := fmt.Sprintf("%-12s %-24s %-28s file: %s; dynamo: %s; torchscript: %s", theme, p.Name, said, j.File, j.Dynamo, j.TorchScript)
				t.Log(line)
				kind, _, _ := strings.Cut(said, ":")
				verdict, _, _ := strings.Cut(j.File, ":")
				count[kind+", "+verdict]++
				byHand := j.Dynamo == "right" || j.TorchScript == "right"
				switch {
				case said == "right" && j.File != "right":
					t.Errorf("called right, and is not: %s", line)
				case said != "right" && byHand:
					count["not right, and torch.onnx.export is"]++
					t.Errorf("torch.onnx.export makes a right file: %s", line)
				}
			})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s", count[k], k)
	}
}
