package tui

import (
	"strings"
	"testing"

	"lathe/tui/guide"

	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func init() {
	taken := func(d *desk) {
		d.press("a", "enter", "esc", "g", "j", "j", "j", "j", "j", "space", "p", "V", "down", "ctrl+u", ".", "enter", "esc", "R")
	}
	at := func(d *desk) int { return d.app.dialogs.Top().(*forms.StepsDialog).Rows.Cursor }
	positions[forms.PlaceSteps] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{func(d *desk) {
		for range 100 {
			d.app.ws.Session.Record(fakeAxes(), session.Result{})
		}
		d.press("R", "pgup", "pgup")
	}, at}
	changed := func(d *desk) { taken(d); d.press("x") }
	order := func(want string) func(*desk) bool { return func(d *desk) bool { return draft(d) == want } }
	effects[forms.PlaceSteps] = map[actions.Name]effect{
		shell.ActionEdit:   {taken, opens(forms.PlaceForm)},
		"remove-step":      {taken, order("axes prune")},
		"move-step-down":   {func(d *desk) { taken(d); d.press("k") }, order("axes validate prune")},
		"move-step-up":     {func(d *desk) { taken(d) }, order("axes validate prune")},
		forms.ActionRetake: {changed, shows("steps: ok")},
		shell.ActionReset:  {changed, order("axes prune validate")},
		"undo":             {taken, func(d *desk) bool { return undone(d) == 1 }},
		"redo":             {func(d *desk) { taken(d); d.press("u") }, func(d *desk) bool { return undone(d) == 0 }},
		shell.ActionHelp:   {taken, opens(guide.PlaceHelp)},
		shell.ActionClose:  {taken, closed},
	}
	effects[shell.PlaceMain]["steps"] = effect{press("j", "j", "space", "p"), opens(forms.PlaceSteps)}
	views = append(views, []struct{ name, keys string }{
		{"steps", "a enter esc g j j j j j space p u R"},
		{"steps-changed", "a enter esc g j j j j j space p V down ctrl+u . enter esc R k x"},
	}...)
}

// draft returns the names of the steps in the list.
func draft(d *desk) string {
	var out []string
	for _, p := range d.app.dialogs.Top().(*forms.StepsDialog).Draft {
		out = append(out, p.Call.Step)
	}
	return strings.Join(out, " ")
}

func undone(d *desk) int { return len(d.app.dialogs.Top().(*forms.StepsDialog).Undone) }

func recipe(d *desk) string {
	var out []string
	for _, c := range d.app.ws.Session.Recipe().Steps {
		out = append(out, workspace.CallText(c))
	}
	return strings.Join(out, "; ")
}

// TestStepsAreChanged changes a step in the middle: the steps after it are run again, and undo
// restores the former steps.
func TestStepsAreChanged(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("a", "enter", "esc", "g", "j", "j", "j", "j", "j", "space", "p") // prune to c
	before := d.app.ws.Model()
	d.press("R", "k", "enter")
	d.sees("axes: does axes", "in place of step 1: ", "frees x:0=batch")
	d.write("es").press("enter")
	d.sees("2 steps, changed", "1 ● axes  dynamic=x:0=batches", "to be taken again")
	if d.app.ws.Model() != before {
		t.Error("the model changes before the steps are taken again")
	}
	d.press("R")
	d.sees("steps: ok", "2 steps, 2 taken again")
	d.press("esc")
	d.lacks("steps, changed")
	if got := recipe(d); got != "axes  dynamic=x:0=batches,mask:0=batch; prune  output=c" {
		t.Errorf("the recipe is %s", got)
	}
	d.press("u")
	if got := recipe(d); got != "axes  dynamic=x:0=batch,mask:0=batch; prune  output=c" || d.app.ws.Model() != before {
		t.Errorf("after undo the recipe is %s", got)
	}
	d.press("ctrl+r")
	d.sees("dynamic=x:0=batches")
	d.press("esc")
	if n := len(d.app.ws.Outline.Nodes); n != 4 {
		t.Errorf("%d nodes show, want 4", n)
	}
}

// TestStepsThatFail removes a step that another one needs: the error is reported, and the session
// is unchanged.
func TestStepsThatFail(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("j", "j", "j", "space", "p", "E", "enter", "esc") // prune to a, export
	want, model := recipe(d), d.app.ws.Model()
	d.press("R", "k", "enter")
	d.write("x").press("enter", "R")
	d.sees("steps: failed", "step 1, prune")
	d.press("esc")
	d.sees(`step 1, prune: output "ax"`)
	if recipe(d) != want || d.app.ws.Model() != model {
		t.Errorf("the session holds %s", recipe(d))
	}
	d.press("esc")
	d.sees("drop the changes?")
	d.press("n", "r", "esc")
	if !closed(d) {
		t.Errorf("the list asks although nothing is changed:\n%s", d.screen())
	}
}

// TestStepsAllTakenAway leaves the model as it was opened.
func TestStepsAllTakenAway(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("j", "j", "j", "space", "p", "R", "x")
	d.sees("no step is left")
	d.press("x", "J", "K", "enter", "R", "esc", "esc")
	if d.app.ws.Model() != d.app.ws.Session.Original() || d.app.ws.Session.CanUndo() == "" {
		t.Error("the model is not the one that was opened")
	}
	d.press("u")
	if got := recipe(d); got != "prune  output=a" {
		t.Errorf("after undo: %s", got)
	}
}

// TestStepsWhileAJobRuns changes nothing while a job runs.
func TestStepsWhileAJobRuns(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("j", "j", "j", "space", "p", "b", "enter", "esc", "R", "x", "R")
	d.sees("bench is running; Ctrl-C cancels it")
	d.press("u")
	d.sees("the list was changed")
}

// TestStepsGoStale undoes while steps are run again: their result belongs to a history that no
// longer applies.
func TestStepsGoStale(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("a", "enter", "esc", "g", "j", "j", "j", "j", "j", "space", "p", "R", "k", "x")
	d.hold = true
	d.press("R", "esc", "esc", "y", "u")
	d.resume()
	d.sees("steps: finished, but the model has changed in the meantime")
	if got := recipe(d); got != "axes  dynamic=x:0=batch,mask:0=batch" {
		t.Errorf("the session holds %s", got)
	}
}

func TestCallText(t *testing.T) {
	c := session.Call{Step: "prune\x1b", Options: []session.Setting{{Name: "output", Values: []string{"a\n", "b", "c", "d"}}, {Name: "out", Values: []string{"x"}}}}
	if got, want := workspace.CallText(c), `prune\x1b  output=a\x0a,b,c…  out=x`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
