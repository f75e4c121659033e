package tui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/forms"
	"lathe/tui/shell"
)

func init() {
	effects[forms.PlaceResults][shell.ActionEdit] = effect{
		func(d *desk) { d.press(":").write("broken").press("enter", "enter") },
		shows("broken: does broken"),
	}
}

// TestFormStaysWithFlaws presses Enter with values that are known to be wrong, and with corrected
// values.
func TestFormStaysWithFlaws(t *testing.T) {
	for _, c := range []struct{ field, wrong, want, right string }{
		{"node", "lefd", `--node: there is no node "lefd"; nearest: "left"`, "left"},
		{"axis", "nask:0", `--axis: there is no input or output "nask"`, "mask:0"},
		{"op", "MatMull", `--op: there is no operator "MatMull"; nearest: "MatMul"`, "MatMul"},
		{"out", "taken.onnx", "--out: taken.onnx exists already; set force to replace it", "free.onnx"},
		{"out", "nowhere/free.onnx", "--out: there is no folder nowhere", "free.onnx"},
	} {
		d := namingDesk(t, branchy)
		if err := os.WriteFile("taken.onnx", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		fillIn(d, c.field, c.wrong)
		goTo(d, "force")
		d.press("enter")
		d.sees(c.want)
		if fl, _ := theForm(d).Focused(); fl.Name != c.field {
			t.Errorf("%s %q: the focus is on %s", c.field, c.wrong, fl.Name)
		}
		fillIn(d, c.field, c.right)
		d.press("enter")
		if !opens(forms.PlaceResults)(d) {
			t.Errorf("%s: %q does not run:\n%s", c.field, c.right, d.screen())
		}
	}
}

// fill replaces the first line of a field, and waits for the checks of it.
func fillIn(d *desk, name, value string) {
	f := theForm(d)
	f.Field(name).Lines[0] = shell.NewTextfield(value)
	goTo(d, name)
	d.perform(f.Changed())
	d.perform(f.Collect())
}

// TestFormStaysAtTheLine moves to the value that is wrong, not to the first.
func TestFormStaysAtTheLine(t *testing.T) {
	d := namingDesk(t, branchy)
	node := theForm(d).Field("node")
	node.Lines = []*shell.Textfield{shell.NewTextfield("left"), shell.NewTextfield("nobody"), shell.NewTextfield("")}
	fillIn(d, "node", "left")
	goTo(d, "force")
	d.press("enter")
	if fl, line := theForm(d).Focused(); fl.Name != "node" || line != 1 {
		t.Errorf("the focus is on line %d of %s, want line 1 of node", line, fl.Name)
	}
}

// TestFormDoesNotWaitForChecks presses Enter before a check has answered.
func TestFormDoesNotWaitForChecks(t *testing.T) {
	d := namingDesk(t, branchy)
	d.hold = true
	d.write("nobody").press("enter")
	if opens(forms.PlaceForm)(d) {
		t.Errorf("the form waits:\n%s", d.screen())
	}
}

// TestFormLooksAgain removes a file from outside the workbench.
func TestFormLooksAgain(t *testing.T) {
	d := namingDesk(t, branchy)
	if err := os.WriteFile("taken.onnx", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fillIn(d, "out", "taken.onnx")
	if err := os.Remove("taken.onnx"); err != nil {
		t.Fatal(err)
	}
	d.press("enter")
	if !opens(forms.PlaceForm)(d) {
		t.Fatal("what is known to be wrong runs")
	}
	d.press("enter")
	if !opens(forms.PlaceResults)(d) {
		t.Errorf("what has been put right does not run:\n%s", d.screen())
	}
}

// TestFormStaysWithAFailedPreview does not run what is known to fail.
func TestFormStaysWithAFailedPreview(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.app.ws.Options.Steps = func() []session.Step {
		s := fakeAxes().(*fakeStep)
		s.preview = failing
		return []session.Step{s}
	}
	d.press("a", "enter", "enter")
	d.sees("axes: does axes", "axes: "+errLuck.Error())
	if len(d.app.ws.Jobs.List) > 0 {
		t.Error("the step ran")
	}
}

func TestFormSparesTheModelsFile(t *testing.T) {
	for _, force := range []int{0, 1} {
		d := namingDesk(t, branchy)
		if err := os.WriteFile("model.onnx", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		theForm(d).Field("force").Chosen = force
		fillIn(d, "out", "./model.onnx")
		d.sees("./model.onnx is the file that the model is read from")
		d.lacks("set force to replace it")
		d.press("enter")
		if !opens(forms.PlaceForm)(d) {
			t.Errorf("force %d: the step ran", force)
		}
	}
}

// TestFormWaitsForTheNewName does not complain about OLD= until the user leaves the field or runs
// the step.
func TestFormWaitsForTheNewName(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 80, 24)
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{fakeRename()} }
	d.perform(forms.OpenForm(d.app.ws, "rename"))
	d.app.sync()
	const flaw = `"x=" is incomplete: add something after =`
	d.sees("x=")
	d.lacks("is incomplete")
	d.lacks(errLuck.Error())
	d.press("down", "up").lacks("is incomplete")
	d.press("enter")
	d.sees("--value: " + flaw)
	if !opens(forms.PlaceForm)(d) {
		t.Fatal("the step ran")
	}
	d.write("y")
	d.lacks("is incomplete")
	d.press("enter")
	d.sees("rename: ok")
}

// fakeRename refuses a value without a new name.
func fakeRename() session.Step {
	values, out := new([]string), new(string)
	s := &fakeStep{name: "rename", options: []session.Option{
		session.List(values, "value", "`OLD=NEW`").Naming(session.NamesValue, "="), session.Path(out, "out", "write to `FILE`").AsTarget().As(session.RoleModel),
	}}
	s.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		if strings.HasSuffix((*values)[0], "=") {
			return session.Result{}, errLuck
		}
		return session.Result{Report: words("renamed")}, nil
	}
	return s
}

// TestFailedJobIsChanged goes back to the form with the options that the step ran with.
func TestFailedJobIsChanged(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.app.ws.Options.Steps = func() []session.Step {
		s := fakeExport().(*fakeStep)
		s.preview = func(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
			return session.Preview{Report: words("promises much")}, nil
		}
		s.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
			return session.Result{}, errLuck
		}
		return []session.Step{s}
	}
	d.press("E", "up").write("x.onnx").press("enter")
	d.sees("export: failed", "e change it")
	d.press("e")
	d.sees("export: does export", "out            x.onnx")
	d.press("esc")
	if !closed(d) {
		t.Errorf("something is open:\n%s", d.screen())
	}
}

func TestResultsThatAreNotChanged(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "space", "p", "r", "e")
	d.sees("the model has changed since then")
}

// tuned returns a step with options of a measurement.
func tuned(name string) session.Step {
	s := &fakeStep{name: name}
	batch, threads, save, data, seconds := new(string), new(int64), new(string), new(string), new(float64)
	s.options = []session.Option{
		session.Text(batch, "batch", "measure `SIZES`"), session.Int(threads, "threads", "use `N` threads", 1),
		session.Float(seconds, "seconds", "for `SECONDS`"), session.Path(save, "save", "write to `FILE`").AsTarget(), session.Path(data, "data", "run on `FILE`"),
	}
	s.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: words(fmt.Sprintf("%s with batch %s, %d threads, %v s, on %q, to %q", name, *batch, *threads, *seconds, *data, *save))}, nil
	}
	return s
}

// TestFormRemembers: a form opens with the values of the last run, of options that steps share also
// with those of another step, and never with a file that was written. The file of inputs stays. One key
// clears all.
func TestFormRemembers(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in.npz", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := branchyDesk(t, 80, 24)
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{tuned("bench"), tuned("profile")} }
	d.press("b").write("8").press("down").write("2").press("down").write("3").press("down").write("x.json").press("down").write("in.npz").press("enter")
	d.sees(`bench with batch 8, 2 threads, 3 s, on "in.npz", to "x.json"`)
	d.press("e") // what succeeded can be changed and run again
	d.sees("bench: does bench", "x.json")
	d.press("esc", "b")
	d.sees("filled in as in the last run")
	d.press("enter")
	d.sees(`bench with batch 8, 2 threads, 3 s, on "in.npz", to ""`)
	d.press("esc", "T", "enter")
	d.sees(`profile with batch 8, 2 threads, 0 s, on "", to ""`)
	d.press("esc", "T", "ctrl+r", "enter")
	d.sees(`profile with batch , 0 threads, 0 s, on "", to ""`)
	d.press("esc", "T", "enter")
	d.sees(`profile with batch , 0 threads, 0 s, on "", to ""`)
}

// TestEditReturnsToTheField: a step that is edited after its run opens with the cursor on the field
// that had it.
func TestEditReturnsToTheField(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{tuned("bench"), tuned("profile")} }
	d.press("b").press("down", "down").write("3").press("enter", "e")
	if fl, _ := theForm(d).Focused(); fl == nil || fl.Name != "seconds" {
		t.Errorf("the focus is on %v:\n%s", fl, d.screen())
	}
}

// TestMeasurementsHaveNoPreview: the preview key never starts a measurement.
func TestMeasurementsHaveNoPreview(t *testing.T) {
	for key, step := range map[string]string{"b": "bench", "T": "profile"} {
		d := branchyDesk(t, 80, 24)
		d.app.ws.Options.Steps = func() []session.Step { return []session.Step{tuned("bench"), tuned("profile")} }
		d.press(key, "ctrl+p")
		d.sees("a preview of " + step + " would be the whole measurement")
		if theForm(d).Preview.Lines != nil {
			t.Errorf("%s was previewed", step)
		}
	}
}

// TestRefusedOptionsReopenTheForm: if a step refuses its options, the form comes back with what was typed, at
// the option that the error names.
func TestRefusedOptionsReopenTheForm(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	refusing := tuned("bench").(*fakeStep)
	refusing.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{}, session.UsageError("--seconds: is required with --batch")
	}
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{refusing} }
	d.press("b").write("8").press("enter")
	d.sees("bench: does bench", "--seconds: is required with --batch")
	fl, _ := theForm(d).Focused()
	if got := theForm(d).Field("batch").Values(); fl == nil || fl.Name != "seconds" || len(got) != 1 || got[0] != "8" {
		t.Errorf("the focus is on %v, batch is %q", fl, got)
	}
}
