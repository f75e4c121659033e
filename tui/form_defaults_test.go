package tui

import (
	"os"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/tui/files"
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

	// A file written before an undo is proposed only beside the model as it was opened.
	d.press("j", "j", "j", "space", "p", "E", "enter", "esc", "u", "u", "V")
	d.sees("lathe validate model.onnx model.a.onnx")
	d.press("esc", "ctrl+r", "ctrl+r", "b")
	d.sees("lathe bench model.onnx model.a.onnx")
}

// TestUnwrittenModelIsNotCompared says why a comparison proposes no second file.
func TestUnwrittenModelIsNotCompared(t *testing.T) {
	d := branchyDesk(t, 100, 24)
	d.press("j", "j", "j", "space", "p", "V")
	d.sees("the model as it is now is in no file; Ctrl-S writes it, and then it can be compared")
}
