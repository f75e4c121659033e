package tui

import (
	"os"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/files"
	"lathe/tui/forms"
	"lathe/tui/workspace"
)

// TestQuantizeListWritesNoFile applies the ticks: the model stays in memory until the user writes
// it, and quitting asks until then.
func TestQuantizeListWritesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	d := quantizeDesk(t, weighty, 140, 40)
	d.press("Q", "enter", "esc")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	d.press("q")
	d.sees("The model as it is now is in no file and no recipe.")
	d.press("n")
}

// TestWrittenModelIsNotLost writes the current model: neither the title nor the question says that
// something would be lost, and undo and redo give the same answers.
func TestWrittenModelIsNotLost(t *testing.T) {
	t.Chdir(t.TempDir())
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "j", "space", "p")
	d.sees("model.onnx*")
	d.press("E", "enter", "esc")
	d.lacks("model.onnx*")
	if !files.IsKept(d.app.ws) {
		t.Error("it is written, and still counts as lost")
	}
	d.press("u", "u")
	if !files.IsKept(d.app.ws) {
		t.Error("it is as it was opened, and still counts as lost")
	}
	d.press("ctrl+r", "ctrl+r", "q")
	if !d.quit {
		t.Errorf("nothing is lost, and still:\n%s", d.screen())
	}
}

// TestComparisonsAreOfTheModelAsItIs looks at what the forms of a comparison propose.
func TestComparisonsAreOfTheModelAsItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	o := testOptions(graphtest.Model(t, branchy))
	o.Beside = otherFile(t, branchy)
	d := newDeskWith(t, o, 120, 30)
	for d.app.dialogs.Top() != nil {
		d.press("esc")
	}
	d.press("V")
	d.sees("lathe validate model.onnx " + o.Beside)
	d.press("esc")

	// The other model stays the one to compare with. Measurements compare before and after.
	d.press("j", "j", "j", "space", "p", "V")
	d.sees("lathe validate 'model.onnx*'", o.Beside)
	d.press("esc", "u", "b")
	d.sees("lathe bench model.onnx " + o.Beside)
}

// TestWrittenFilesAreCompared looks at what is proposed after a file was written.
func TestWrittenFilesAreCompared(t *testing.T) {
	t.Chdir(t.TempDir())
	d := newDeskWith(t, testOptions(graphtest.Model(t, branchy)), 120, 30)
	// A file written before an undo is proposed only beside the model as it was opened.
	d.press("j", "j", "j", "space", "p", "E", "enter", "esc", "u", "u", "V")
	d.sees("lathe validate model.onnx model.a.onnx")
	d.press("esc", "ctrl+r", "ctrl+r", "b")
	d.sees("lathe bench model.onnx model.a.onnx")
}

// TestUnwrittenModelIsCompared compares the model as it was opened with the model as it is, which is
// in no file. Nothing is written, and a recipe does not have the step.
func TestUnwrittenModelIsCompared(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	m := graphtest.Model(t, branchy)
	if _, err := graphops.Save(t.Context(), m, "model.onnx", graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	o := testOptions(m)
	o.Steps = steps.All
	d := newDeskWith(t, o, 100, 30)
	d.press("j", "j", "j", "space", "p")
	d.perform(forms.OpenForm(d.app.ws, "prune"))
	d.press("enter", "esc")
	for _, step := range []string{"validate", "bench", "diff"} {
		d.perform(forms.OpenForm(d.app.ws, step))
		d.sees("model.onnx* is the model as it is now, in no file: lathe "+step, "model.onnx 'model.onnx*'")
		d.press("ctrl+c")
	}
	d.perform(forms.OpenForm(d.app.ws, "diff"))
	d.press("enter")
	d.sees("diff: ")
	d.lacks("there is no file")
	if got := recipe(d); strings.Contains(got, "diff") {
		t.Errorf("the recipe has a step that cannot be taken again: %s", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// TestFileNamesDoNotPileUp looks at the names that are proposed for models whose names have suffixes.
func TestFileNamesDoNotPileUp(t *testing.T) {
	for path, want := range map[string][2]string{
		"x.onnx":               {"x.int8.onnx", "x.export.onnx"},
		"dir/x.int8.onnx":      {"x.int8.onnx", "x.int8.export.onnx"},
		"x.int8-2.onnx":        {"x.int8.onnx", "x.int8-2.export.onnx"},
		"x.export.onnx":        {"x.int8.onnx", "x.export.onnx"},
		"x.export-3.int8.onnx": {"x.int8.onnx", "x.int8.export.onnx"},
		"export.onnx":          {"export.int8.onnx", "export.export.onnx"},
		"v1.2-3.onnx":          {"v1.2-3.int8.onnx", "v1.2-3.export.onnx"},
	} {
		o := testOptions(graphtest.Model(t, branchy))
		o.Path = path
		ws := newDeskWith(t, o, 80, 24).app.ws
		if got := [2]string{workspace.OutputName(ws, "int8"), workspace.OutputName(ws, "export")}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestBrokenModelIsNotMeasured fixes a model that had an error as it was opened: only the result is
// proposed for a measurement.
func TestBrokenModelIsNotMeasured(t *testing.T) {
	t.Chdir(t.TempDir())
	d := newDesk(t, graphtest.Model(t, "input x f32[2]\nvalue h f16[2]\nc: h = Cast(x) to=10\na: y = Add(h, x)\noutput y f32[2]"), 120, 30)
	d.sees("1 error")
	d.press("j", "space", "p", "b")
	d.sees("lathe bench 'model.onnx*'")
	d.press("esc", "u", "b")
	d.sees("lathe bench model.onnx")
}

// TestQuantizedFileName: the name that is proposed for a quantized model says the type of its weights.
func TestQuantizedFileName(t *testing.T) {
	t.Chdir(t.TempDir())
	d := branchyDesk(t, 80, 24)
	inQuantize()(d)
	if got := forms.WritesTo(d.app.ws); got != "model.export.onnx" {
		t.Errorf("before: %s", got)
	}
	d.press("enter", "esc")
	if got := forms.WritesTo(d.app.ws); got != "model.int8.onnx" {
		t.Errorf("after: %s\n%s", got, d.screen())
	}
}
