package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/steps"

	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/shell"
)

func init() {
	prompt := func(d *desk) {
		inFolder(d.t, "zoo/m.onnx", "m.onnx", "n.txt")
		d.press(":").write("open").press("enter")
	}
	for action, e := range map[string]effect{
		"complete": {func(d *desk) { prompt(d); d.write("zo") }, says("open which model zoo/")},
		"next":     {prompt, shows("m.onnx")},
		"previous": {func(d *desk) { prompt(d); d.press("down") }, says("n.txt")},
	} {
		effects[shell.PlacePath][actions.Name(action)] = e
	}
}

// says checks that the topmost dialog says something to a screen reader.
func says(words string) func(*desk) bool {
	return func(d *desk) bool { return strings.Contains(d.app.dialogs.Top().Said(), words) }
}

// inFolder makes files in a new folder, which becomes the working folder.
func inFolder(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFormCompletesPaths completes with Tab what all files have in common, then picks one.
func TestFormCompletesPaths(t *testing.T) {
	inFolder(t, "tc_cast.onnx", "tc_split.onnx", "tc_notes.txt", "zoo/one.onnx", "zoo/two.onnx", ".hidden.onnx")
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	d := newDeskWith(t, o, 100, 30)
	d.press("V", "down")
	at := func(want string) {
		t.Helper()
		if got := valuesOf(d, "b"); got != want {
			t.Fatalf("the field has %q, want %q\n%s", got, want, d.screen())
		}
	}
	d.write("t")
	d.sees("tc_cast.onnx", "tc_notes.txt  other kind", "Tab completes, 3 files")
	if s := d.screen(); strings.Index(s, "tc_split.onnx") > strings.Index(s, "tc_notes.txt") {
		t.Errorf("a model comes after another file:\n%s", s)
	}
	d.press("tab")
	at("tc_")
	d.press("tab")
	at("tc_cast.onnx")
	d.lacks("Tab completes")
	for range len("tc_cast.onnx") {
		d.press("backspace")
	}
	d.lacks("Tab completes")
	d.press("ctrl+n")
	d.sees("zoo/", "tc_cast.onnx")
	d.lacks(".hidden")
	d.press("enter")
	at("zoo/")
	d.sees("one.onnx", "two.onnx")
	d.press("down", "enter")
	at("zoo/two.onnx")
	if !opens(forms.PlaceForm)(d) {
		t.Error("taking a file closes the form")
	}
	d.press("ctrl+n", "esc")
	if !opens(forms.PlaceForm)(d) {
		t.Error("Esc closes the form with the list")
	}
	d.write("/gone/").press("ctrl+n")
	d.sees("zoo/two.onnx/gone/: not a directory")
}

// TestFormCompletesHeldPaths completes the file in NAME=FILE, and the names of folders that no
// terminal can show.
func TestFormCompletesHeldPaths(t *testing.T) {
	dir := inFolder(t, "cat.png", "a\x1b[2J b/x.npz", "home/h.npz")
	t.Setenv("HOME", filepath.Join(dir, "home"))
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	d := newDeskWith(t, o, 100, 40)
	d.perform(forms.OpenForm(d.app.ws, "run-model"))
	goTo(d, "input")
	d.write("x=ca").press("tab")
	if got := valuesOf(d, "input"); got != "x=cat.png" {
		t.Errorf("the input is %q", got)
	}
	goTo(d, "data")
	d.write("a").press("tab", "tab")
	if got := valuesOf(d, "data"); got != "a\x1b[2J b/x.npz" {
		t.Errorf("the data is %q", got)
	}
	d.sees(`a\x1b[2J b/x.npz`)
	for range 40 {
		d.press("backspace")
	}
	d.write("~/h").press("tab")
	if got, want := valuesOf(d, "data"), filepath.Join(dir, "home", "h.npz"); got != want {
		t.Errorf("the data is %q, want %q", got, want)
	}
	d.sees("~/h.npz")
}

// TestTabWaitsForTheFolder presses Tab before the folder has been read.
func TestTabWaitsForTheFolder(t *testing.T) {
	inFolder(t, "tc_cast.onnx")
	d := branchyDesk(t, 100, 30)
	d.press("V", "down")
	d.hold = true
	d.write("tc").press("tab")
	if fl, _ := theForm(d).Focused(); fl.Name != "b" {
		t.Fatalf("Tab leads to %s", fl.Name)
	}
	d.resume()
	if got := valuesOf(d, "b"); got != "tc_cast.onnx" {
		t.Errorf("the field has %q", got)
	}
}

// TestPromptCompletesPaths opens a model with a name that is completed.
func TestPromptCompletesPaths(t *testing.T) {
	dir := inFolder(t, "zoo/one.onnx", "zoo/two.onnx", "notes.txt")
	t.Setenv("HOME", dir)
	var taken string
	d := branchyDesk(t, 100, 30)
	ask := func() {
		d.app.ws.Host.Open(shell.NewPathPrompt(d.app.ws.Host, "which file?", "", session.ModelFiles, func(path string) tea.Cmd {
			taken = path
			return nil
		}))
		d.app.sync()
	}
	ask()
	d.press("down")
	d.sees("zoo/", "notes.txt  other kind", "2 files")
	d.press("enter")
	d.sees("one.onnx")
	d.press("down", "enter", "enter")
	if taken != "zoo/two.onnx" || !closed(d) {
		t.Errorf("taken: %q\n%s", taken, d.screen())
	}
	ask()
	d.write("~/zoo/o").press("tab", "enter")
	if want := filepath.Join(dir, "zoo/one.onnx"); taken != want {
		t.Errorf("taken: %q, want %q", taken, want)
	}
	ask()
	d.write("z").press("esc")
	d.sees("which file?")
	d.press("esc")
	if !closed(d) {
		t.Error("Esc does not close the prompt")
	}
	ask()
	d.write("gone/x").press("tab")
	d.sees("there is no folder gone/")
}
