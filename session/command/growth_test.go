package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lathe/graphops/graphtest/growth"
)

// growthLines are the command lines that run on models with very many of one thing. $m is the
// model, $half one with half as many of it, $new a file to write.
var growthLines = []string{
	"inspect $m",
	"inspect $m --nodes --values --tensors --ops --places --metadata",
	"inspect $m --nodes --filter op:Neg,params>1",
	"inspect $m --text",
	"check $m",
	"check $m --weights --all",
	"prune $m --output h -o $new",
	"axes $m --fix batch=2",
	"axes $m --dynamic x:0=rows -o $new",
	"axes $m --dynamic x:0=rows --repair -o $new",
	"annotate $m --value h=f32[batch,4] --no-check -o $new",
	"attribute $m --node act --set k=1 --no-check -o $new",
	"bypass $m --node act --no-check -o $new",
	"constants to-nodes $m -o $new",
	"constants to-initializers $m -o $new",
	"constants to-inputs $m --no-check -o $new",
	"delete $m --node tail --downstream --unused -o $new",
	"insert $m --value h --op identity --no-check -o $new",
	"merge $m --with $m --connect y=x --prefix p -o $new",
	"metadata $m --set task=digits -o $new",
	"rename $m --value h=hh --node act=acted -o $new",
	"replace $m --node act --op Abs --no-check -o $new",
	"export $m -o $new",
	"export $m -o $new --external-data=1",
	"export $m -o $new --opset 18 --no-check",
	"export $m -o $new --inference",
	"simplify $m --no-check -o $new",
	"simplify $m --fuse --no-check -o $new",
	"quantize dynamic $m --no-check -o $new",
	"quantize float16 $m --no-check -o $new",
	"quantize bfloat16 $m --no-check -o $new",
	"quantize nbits $m --no-check -o $new",
	"quantize sensitivity $m --estimate",
	"diff $m $m",
	"diff $m $half",
}

// growthApart are the commands that no line runs, and why.
var growthApart = map[string]string{
	"run-model":        "ONNX Runtime loads the model, and its time is not Lathe's",
	"validate":         "ONNX Runtime loads the model, and its time is not Lathe's",
	"accuracy":         "ONNX Runtime loads the model, and its time is not Lathe's",
	"bench":            "ONNX Runtime loads the model, and its time is not Lathe's",
	"profile":          "ONNX Runtime loads the model, and its time is not Lathe's",
	"optimize":         "ONNX Runtime loads the model, and its time is not Lathe's",
	"quantize auto":    "ONNX Runtime loads the model, and its time is not Lathe's",
	"quantize compare": "ONNX Runtime loads the model, and its time is not Lathe's",
	"quantize static":  "ONNX Runtime loads the model, and its time is not Lathe's",
	"run":              "its steps are the other commands",
	"torch":            "makes models",
	"report":           "reads no model",
	"history":          "reads no model",
	"runtime":          "reads no model",
	"version":          "reads no model",
	"config":           "reads no model",
	"completion":       "reads no model",
	"tour":             "reads no model",
	"help":             "reads no model",
	"worker":           "a process of the other commands",
}

// TestGrowthCommandsAreAll checks that every command runs on such models, or says why not.
func TestGrowthCommandsAreAll(t *testing.T) {
	var look func(c *cobra.Command, path string)
	look = func(c *cobra.Command, path string) {
		for _, sub := range c.Commands() {
			words := strings.TrimSpace(path + " " + sub.Name())
			runs := slices.ContainsFunc(growthLines, func(line string) bool { return strings.HasPrefix(line, words+" ") })
			if runs == (growthApart[words] != "") {
				t.Errorf("lathe %s: expected a line in growthLines or a reason in growthApart", words)
			}
			if runs {
				look(sub, words)
			}
		}
	}
	look((&app{}).rootCommand(), "")
}

// growthFaults are what took time by the square once.
var growthFaults = map[string][]string{
	"axes":          {"inspect $m", "check $m", "quantize float16 $m --no-check --no-scan -o $new"},
	"chain of sums": {"simplify $m --no-check -o $new"},
	"imports":       {"simplify $m --no-check -o $new"},
	"functions":     {"simplify $m --no-check -o $new", "simplify $m --fuse --no-check -o $new"},
	"functions with a call each": {
		"inspect $m --nodes --values --tensors --ops --places --metadata",
		"quantize float16 $m --no-check -o $new",
		"quantize bfloat16 $m --no-check -o $new",
		"quantize nbits $m --no-check -o $new",
	},
	"matrices": {"quantize sensitivity $m --estimate"},
}

// TestGrowth runs each command on a model with 2,000 of something and on one with 20,000: those of
// growthFaults, and for each command and each thing at least one more. With the tag soak,
// TestGrowthOfAll tries all with ten times as many.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	growth.SkipRaced(t)
	withoutRuntime(t)
	for i, b := range growth.Bombs {
		lines := slices.Clone(growthFaults[b.Name])
		for k := i; k < max(len(growthLines), i+1); k += len(growth.Bombs) {
			lines = append(lines, growthLines[k%len(growthLines)])
		}
		t.Run(b.Name, func(t *testing.T) { growthOf(t, b, lines, 2_000, 20_000) })
	}
}

// growthOf runs commands on models with few and with many of a thing.
func growthOf(t *testing.T, b growth.Bomb, lines []string, few, many int) {
	dir := t.TempDir()
	models := map[int]string{}
	for _, k := range []int{few, many} {
		models[k], models[k/2] = b.Write(t, dir, k), b.Write(t, dir, k/2)
	}
	for _, line := range lines {
		s := growth.Series{Few: few, Many: many, Run: func(k int) { growthRun(t, dir, line, models[k], models[k/2]) }}
		t.Logf("%s: %s", line, s.Measure())
		if !s.IsLinear() {
			t.Errorf("lathe %s on %s: %s; expected at most twice the time for each", line, b.Name, &s)
		}
	}
}

// growthRun runs a command. It may refuse the model, but not fail otherwise.
func growthRun(t *testing.T, dir, line, model, half string) {
	t.Helper()
	made := filepath.Join(dir, "made.onnx")
	words := strings.Fields(strings.NewReplacer("$m", model, "$half", half, "$new", made).Replace(line))
	var out, errOut bytes.Buffer
	code := run(t.Context(), words, strings.NewReader(""), &out, &errOut)
	if code == exitUsage || strings.Contains(errOut.String(), "internal error") {
		t.Fatalf("lathe %s: exit code %d: %s", line, code, errOut.String())
	}
	for _, file := range []string{made, made + ".data", fmt.Sprint(strings.TrimSuffix(made, ".onnx"), ".data")} {
		_ = os.Remove(file) // most commands write none of them
	}
}
