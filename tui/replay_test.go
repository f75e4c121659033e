package tui

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/steps"
)

// TestRecipeIsTakenAgain saves the steps as a recipe, opens the model again, and takes the steps of the
// recipe: the model is the same, nothing is written, and undo goes back.
func TestRecipeIsTakenAgain(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	d := newDeskWith(t, o, 120, 40)
	d.press(":").write("rename").press("enter").write("ids").press("enter", "esc")
	d.sees("ids")
	d.press("s").write("mine.yaml").press("enter")
	d.sees("saved the recipe as mine.yaml; lathe run mine.yaml runs it, :replay takes its steps here")

	again := newDeskWith(t, o, 120, 40)
	again.lacks("ids")
	again.press(":").write("e mine.yaml").press("enter", "esc")
	again.sees("ids", "after rename")
	again.press("u")
	again.lacks("ids")
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v (%v)", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.yaml"), []byte("lathe: 2\nsteps:\n- rename: {value: [none=z]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	again.press(":").write("replay bad.yaml").press("enter")
	again.sees("step 1, rename: ")
	again.press("esc")
	again.press(":").write("replay missing.yaml").press("enter")
	again.sees("missing.yaml: no such file")
}

// TestRecipeOfOthersIsAskedAbout: a recipe that the workbench did not save, and that would do more than
// read and compute, is taken only after a question that says what it would do.
func TestRecipeOfOthersIsAskedAbout(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	if err := os.WriteFile("theirs.yaml", []byte("lathe: 2\nsteps:\n- rename: {value: [x=theirs], out: ../out.onnx}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDeskWith(t, o, 120, 40)
	d.press(":").write("replay theirs.yaml").press("enter")
	d.sees("take these steps?", "was not saved by Lathe", "write a file outside of its folder:")
	d.press("esc")
	d.lacks("after rename")
	d.press(":").write("replay theirs.yaml").press("enter", "y", "esc")
	d.sees("after rename")
	if _, err := os.Stat("../out.onnx"); err == nil {
		t.Error("the file was written")
	}
}
