package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/tui/guide"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/problems"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// sick is a model with two nodes that read undefined values, one of them in a body.
const sick = `
input c bool[]
input x f32[2]
output y f32[2]
graph then
inner: z = Relu(gone)
output z f32[2]
end
graph else
z = Neg(x)
output z f32[2]
end
act: hidden = Relu(x)
sum: s = Add(hiden, hidden)
branch: y = If(c) then_branch=@then else_branch=@else
`

// diagnosis is the report of a check.
type diagnosis struct {
	words
	list []check.Problem
}

func (d diagnosis) Diagnosed() []check.Problem { return d.list }
func (d diagnosis) Verdict() string            { return string(d.words) }

// fakeCheck finds one problem if weights are checked, and one if a runtime is used.
func fakeCheck() session.Step {
	weights, load := new(bool), new(bool)
	return &fakeStep{
		name:    "check",
		options: []session.Option{session.Switch(weights, "weights", "read them"), session.Switch(load, "runtime-load", "load it")},
		run: func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
			d := diagnosis{}
			if *weights {
				d.list = append(d.list, check.Problem{Code: "value-undefined", Severity: check.Warning, Node: -1, Message: "holds NaN"})
			}
			if *load {
				d.words = "the runtime refuses it"
				d.list = append(d.list, check.Problem{Code: "value-undefined", Severity: check.Error, Place: m.Places()[0], Node: 0, Message: "is refused"})
			}
			return session.Result{Report: d, No: true}, nil
		},
	}
}

func doctorDesk(t testing.TB, model string, w, h int) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, model))
	o.Steps = func() []session.Step { return append(fakeSteps(), fakeCheck()) }
	return newDeskWith(t, o, w, h)
}

// atDoctor opens the list of problems of the sick model, and goes on.
func atDoctor(keys ...string) func(*desk) {
	return func(d *desk) {
		*d = *doctorDesk(d.t, sick, 120, 40)
		d.press("P")
		d.press(keys...)
	}
}

// mendable returns a list whose first line can be repaired.
func mendable(d *desk) { mendableBy(d, "input", "hidden", "c") }

func mendableBy(d *desk, option string, values ...string) {
	atDoctor()(d)
	fix := &check.Fix{Step: "prune"}
	for _, v := range values {
		fix.Options = append(fix.Options, check.Setting{Option: option, Value: v})
	}
	c := *d.app.ws.Types.Checkup
	c.Problems = append([]check.Problem{}, c.Problems...)
	c.Problems[0].Fix = fix
	d.app.ws.Types.Checkup = &c
	d.send(nil)
	d.send(workspace.JobTickMsg{}) // any message: the dialog looks at what has changed
}

// causal is a chain of nodes.
const causal = `
input x f32[2]
output y f32[2]
first: a = Relu(x)
second: b = Neg(a)
third: c = Abs(b)
last: y = Exp(c)
`

// atSuspect opens a list whose first problem names an attribute, and whose other three have the same
// repair.
func atSuspect(d *desk) {
	*d = *doctorDesk(d.t, causal, 120, 40)
	m := d.app.ws.Model()
	main := m.Places()[0]
	suspect := &check.Suspect{Place: main, Node: 0, Attribute: "perm"}
	list := []check.Problem{{Code: "type-mismatch", Severity: check.Error, Place: main, Node: 3, Message: "does not fit", Hint: "probable cause: perm", Suspect: suspect}}
	for i := range 3 {
		fix := &check.Fix{Step: "prune", Options: []check.Setting{{Option: "input", Value: "x"}}}
		list = append(list, check.Problem{Code: "axis-pinned", Severity: check.Warning, Place: main, Node: i, Message: fmt.Sprint("has the size ", i), Fix: fix})
	}
	workspace.TakeCheckup(d.app.ws, d.app.ws.Types, graph.NewCheckup(m, list, nil))
	d.press("P")
}

// TestOneRowForOneOrigin lists problems that one command repairs in one line, and reaches the node with
// the error and the node that probably causes it.
func TestOneRowForOneOrigin(t *testing.T) {
	d := doctorDesk(t, causal, 120, 40)
	atSuspect(d)
	d.sees("1 error, 3 warnings", "probable cause: perm (c goes there)", "warning ×3: Relu first", "has the size 0")
	if s := d.screen(); strings.Contains(s, "has the size 1") {
		t.Errorf("a problem of the same origin has a row of its own:\n%s", s)
	}
	d.press("j").sees("the same at Neg second, Abs third")
	d.press("c").sees("no node or attribute is known that causes this")
	d.press("k", "enter")
	if d.selected() != "last" {
		t.Errorf("Enter goes to %s", d.selected())
	}
	d.sees("problems: row 4 of 4")
}

func theDoctor(d *desk) *problems.Dialog { return d.app.dialogs.Top().(*problems.Dialog) }

func init() {
	effects[shell.PlaceMain][workspace.ActionProblems] = effect{nil, opens(problems.PlaceDoctor)}
	effects[problems.PlaceDoctor] = map[actions.Name]effect{
		"install-it":           {lackRuntime("P"), shows("runtime install: ok")},
		shell.ActionAccept:     {atDoctor(), selects("sum")},
		"fix":                  {mendable, opens(forms.PlaceForm)},
		"probable-cause":       {atSuspect, selects("first")},
		shell.ActionCopy:       {mendable, func(d *desk) bool { return d.clipboard == "lathe prune model.onnx --input=hidden --input=c" }},
		"explain":              {atDoctor(), opens(problems.PlaceExplain)},
		problems.ActionWeights: {atDoctor(), shows("holds NaN")},
		problems.ActionRuntime: {atDoctor(), shows("is refused")},
		shell.ActionClose:      {atDoctor(), closed},
		shell.ActionHelp:       {atDoctor(), opens(guide.PlaceHelp)},
	}
	effects[problems.PlaceExplain] = map[actions.Name]effect{
		shell.ActionClose: {atDoctor("e"), opens(problems.PlaceDoctor)},
		shell.ActionHelp:  {atDoctor("e"), opens(guide.PlaceHelp)},
	}
	positions[problems.PlaceDoctor] = position{func(d *desk) {
		atDoctor()(d)
		m := d.app.ws.Model()
		var list []check.Problem
		for i := range 200 {
			list = append(list, check.Problem{Severity: check.Warning, Place: m.Places()[0], Node: i % 3, Message: fmt.Sprint("problem ", i)})
		}
		workspace.TakeCheckup(d.app.ws, d.app.ws.Types, graph.NewCheckup(m, list, nil))
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return theDoctor(d).Rows.Cursor }}
	positions[problems.PlaceExplain] = position{func(d *desk) {
		atDoctor("e")(d)
		page := d.app.dialogs.Top().(*shell.TextDialog)
		for range 200 {
			page.Lines = append(page.Lines, "more")
		}
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return d.app.dialogs.Top().(*shell.TextDialog).Scroll.Top }}
}

// TestDoctor walks from the list of problems to their nodes.
func TestDoctor(t *testing.T) {
	d := doctorDesk(t, sick, 120, 40)
	d.sees("2 errors", "P tells what is wrong with this model")
	d.press("P")
	d.sees("problems: 2 errors", "error: Add sum", `input "hiden" is produced by no node`, `nearest names: "hidden"`, "error: Relu inner")
	d.press("enter")
	d.sees("what is wrong here")
	if d.selected() != "sum" || !closed(d) {
		t.Errorf("enter leads to %q", d.selected())
	}
	d.press("n")
	if d.selected() != "inner" {
		t.Errorf("the next problem is at %q", d.selected())
	}
}

// TestDoctorAsks starts the checks with the runtime and of the weights from the list, and keeps
// what was known.
func TestDoctorAsks(t *testing.T) {
	d := doctorDesk(t, sick, 120, 40)
	d.press("P", "w", "r", "r")
	d.sees("problems: 3 errors, 1 warning", "the runtime refuses it", "is refused", "holds NaN")
	if n := strings.Count(d.screen(), "error: Relu act"); n != 1 {
		t.Errorf("what the runtime says stands there %d times", n)
	}
}

// TestDoctorKeepsMore drops the result of the structure check if a job has checked more meanwhile.
func TestDoctorKeepsMore(t *testing.T) {
	d := doctorDesk(t, sick, 120, 40)
	d.app.ws.Types.Checkup = nil
	late := d.app.ws.Examine()
	d.press("P", "r")
	d.perform(late)
	d.sees("the runtime refuses it", "is refused")
}

// TestMendingLeadsBack shows the result of a repair in the list.
func TestMendingLeadsBack(t *testing.T) {
	d := doctorDesk(t, sick, 120, 40)
	mendableBy(d, "output", "hidden")
	d.press("f", "enter")
	if !opens(problems.PlaceDoctor)(d) {
		t.Fatalf("mending leads to %T", d.app.dialogs.Top())
	}
	if d.app.ws.Session.CanUndo() != "prune" {
		t.Error("nothing was mended")
	}
}

// TestFaultyRows marks the rows that errors are about.
func TestFaultyRows(t *testing.T) {
	d := doctorDesk(t, sick, 120, 40)
	if got := rowOf(d, "sum"); !strings.Contains(got, "✗") {
		t.Errorf("the row is %q", got)
	}
	if got := rowOf(d, "act"); strings.Contains(got, "✗") {
		t.Errorf("the row without an error is %q", got)
	}
}

// TestDoctorListsFailures puts a failed job first in the list.
func TestDoctorListsFailures(t *testing.T) {
	d := blameDesk(t, mismatched, errMismatch, 120, 40)
	failed(d)
	d.press("esc", "P")
	d.sees("broken has failed: ")
	d.press("enter")
	if d.selected() != "add_bad" {
		t.Errorf("enter leads to %q", d.selected())
	}
}

// TestDoctorOfAHealthyModel says what was checked, and what was not.
func TestDoctorOfAHealthyModel(t *testing.T) {
	d := doctorDesk(t, "input x f32[2]\noutput y f32[2]\ny = Relu(x)", 120, 40)
	d.press("P")
	d.sees("no problems found", "w checks the weights")
}

// TestDoctorFollowsTheModel repairs a problem from the list, which then shows what is left.
func TestDoctorFollowsTheModel(t *testing.T) {
	d := doctorDesk(t, sick, 120, 40)
	d.press("P", "esc", ":").write("prune").press("enter").write("hidden").press("enter", "esc", "P")
	d.lacks("error")
	d.press("esc", "u", "P")
	d.sees("problems: 2 errors")
}

// TestProblemViews shows what is wrong with a model.
func TestProblemViews(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			d := doctorDesk(t, sick, size[0], size[1])
			d.press("P")
			checkSize(t, d, size)
			golden.RequireEqual(t, trimmed(d.screen()))
		})
	}
}
