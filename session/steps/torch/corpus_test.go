//go:build cgo && torch

package torch

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lathe/session"
)

var (
	corpusOnly = flag.String("corpus", "", "the one file of programs to export, without .py")
	corpusName = flag.String("program", "", "the programs of it whose names match this regular expression")
	corpusKeep = flag.String("keep", "", "a folder to keep the exported model in")
)

// corpusProgram is a program of testdata/torch/corpus and the result of its export.
type corpusProgram struct {
	Name string   `json:"name"`
	Free []string `json:"free"`

	said, why string // by Lathe
	judgement judgement
}

// judgement is what testdata/torch/judge.py says of a program.
type judgement struct {
	Program     string `json:"program"`
	Dynamo      string `json:"dynamo"`
	TorchScript string `json:"torchscript"`
	File        string `json:"file"`
}

// byHand reports whether torch.onnx.export alone writes a right file.
func (j judgement) byHand() bool { return j.Dynamo == "right" || j.TorchScript == "right" }

// corpusOutcome is the result of the export by Lathe: right, conditional, or refused, and why.
func corpusOutcome(r session.Result, report *torchReport) (said, why string) {
	switch {
	case !r.No:
		return "right", ""
	case report.taken != nil:
		return "conditional", report.taken.Conditional[0].String()
	}
	last := report.Attempts[len(report.Attempts)-1]
	if last.Failure != nil && last.Failure.Entry != "" {
		return "refused: " + last.Failure.Entry, last.Error
	}
	return "refused", last.Error
}

// TestTorchCorpus exports every program of testdata/torch/corpus. A script that does not know which
// exporter wrote a file judges it. No wrong file may be called right, and if torch.onnx.export
// alone writes a right file, so must Lathe.
func TestTorchCorpus(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/torch/corpus/*.py")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, file := range files {
		theme := strings.TrimSuffix(filepath.Base(file), ".py")
		if theme == "free" || *corpusOnly != "" && theme != *corpusOnly {
			continue
		}
		t.Run(theme, func(t *testing.T) {
			programs, folder := programsOf(t, file), t.TempDir()
			if *corpusKeep != "" { // programs of different files may have the same name
				folder = filepath.Join(*corpusKeep, theme)
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			exportCorpus(t, file, folder, programs)
			judgeCorpus(t, file, folder, programs)
			for _, p := range programs {
				p.hold(t, count)
			}
		})
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s", count[k], k)
	}
}

// programsOf returns the programs in a file.
func programsOf(t *testing.T, file string) []*corpusProgram {
	t.Helper()
	var all []*corpusProgram
	if err := json.Unmarshal(runScript(t, "judge.py", file), &all); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("^(" + *corpusName + ")$")
	return slices.DeleteFunc(all, func(p *corpusProgram) bool { return *corpusName != "" && !named.MatchString(p.Name) })
}

// runScript returns the output of a script in testdata/torch.
func runScript(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	python, err := torchRuntime(t).Python()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python.Path, append([]string{filepath.Join("../../../testdata/torch", script)}, args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", script, args, err, said.String())
	}
	return out
}

// exportCorpus exports programs into a folder, several at a time.
func exportCorpus(t *testing.T, file, folder string, programs []*corpusProgram) {
	t.Helper()
	env := torchRuntime(t)
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("export", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				s := &Export{Dynamic: p.Free}
				s.Target, s.Out = path+":"+p.Name, filepath.Join(folder, p.Name+".onnx")
				r, err := s.Run(t.Context(), env, nil)
				if err != nil {
					p.said, p.why = "refused: error", err.Error()
					return
				}
				p.said, p.why = corpusOutcome(r, r.Report.(*torchReport))
				t.Logf("%s %s", p.said, p.why)
			})
		}
	})
}

// judgeCorpus judges the files in a folder and what torch.onnx.export alone writes.
func judgeCorpus(t *testing.T, file, folder string, programs []*corpusProgram) {
	t.Helper()
	args := []string{file, folder}
	for _, p := range programs {
		args = append(args, p.Name)
	}
	for line := range bytes.Lines(runScript(t, "judge.py", args...)) {
		var j judgement
		if err := json.Unmarshal(line, &j); err != nil {
			t.Fatal(err)
		}
		if at := slices.IndexFunc(programs, func(p *corpusProgram) bool { return p.Name == j.Program }); at >= 0 {
			programs[at].judgement = j
		}
	}
}

// hold counts the result of a program, and fails if a file is wrongly called right or wrongly
// refused.
func (p *corpusProgram) hold(t *testing.T, count map[string]int) {
	t.Run(p.Name, func(t *testing.T) {
		j := p.judgement
		line := fmt.Sprintf("%-20s file: %s; dynamo: %s; torchscript: %s; %s", p.said, j.File, j.Dynamo, j.TorchScript, p.why)
		line = strings.Join(strings.Fields(line), " ")
		t.Log(line)
		verdict, _, _ := strings.Cut(j.File, ":")
		count["Lathe: "+p.said+", judged "+verdict]++
		for way, said := range map[string]string{"dynamo": j.Dynamo, "torchscript": j.TorchScript} {
			verdict, _, _ := strings.Cut(said, ":")
			count[way+": "+verdict]++
		}
		if j.byHand() {
			count["either by hand: right"]++
		}
		switch {
		case verdict != "right" && verdict != "wrong" && verdict != "none" && verdict != "does not load":
			t.Errorf("not judged: %s", line)
		case p.said == "right" && j.File != "right":
			t.Errorf("called right, and is not: %s", line)
		case p.said != "right" && j.byHand():
			count["Lathe not right, and by hand right"]++
			t.Errorf("torch.onnx.export makes a right file: %s", line)
		}
	})
}
