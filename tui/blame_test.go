package tui

import (
	"context"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/fault"
	"lathe/session/runtime"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// mismatched is a model with a node that the runtime refuses.
const mismatched = `
input x f32[2]
input n i64[2]
fine: a = Relu(x)
add_bad: z = Add(a, n)
last: y = Neg(z)
output y f32[2]
`

var errMismatch = &ort.Error{
	Phase: ort.Loading, Model: "model.onnx", Code: 1,
	Message: "Load model from model.onnx failed:Type Error: Type parameter (T) of Optype (Add) bound to different types (tensor(float) and tensor(int64) in node (add_bad).",
}

// blameDesk has a step that fails with an error of the runtime.
func blameDesk(t testing.TB, model string, err error, w, h int) *desk {
	t.Helper()
	p := newFakeProber()
	p.fails = map[string]error{"z": err, "y": err}
	o := testOptions(graphtest.Model(t, model))
	o.Steps = func() []session.Step {
		return []session.Step{fakePrune(), p.fresh(), &fakeStep{name: "broken", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
			return session.Result{}, err
		}}}
	}
	return newDeskWith(t, o, w, h)
}

// failed runs that step.
func failed(d *desk) { d.press(":").write("broken").press("enter", "enter") }

func setBlame(then ...string) func(*desk) {
	return func(d *desk) {
		*d = *blameDesk(d.t, mismatched, errMismatch, 120, 40)
		failed(d)
		d.press(then...)
	}
}

func init() {
	effects[shell.PlaceMain][workspace.ActionBlame] = effect{setBlame("esc"), shows("what has failed here")}
	effects[forms.PlaceResults][workspace.ActionBlame] = effect{setBlame(), selects("add_bad")}
}

// TestBlame goes from the error of a job to its node.
func TestBlame(t *testing.T) {
	d := blameDesk(t, mismatched, errMismatch, 120, 40)
	failed(d)
	d.sees("broken: failed", "Type parameter (T)", "add_bad", "f32", "i64", "! goes there", "broken has failed; ! goes to the node")
	d.press("!")
	if d.selected() != "add_bad" || !looksAt(workspace.PlaceDetail)(d) {
		t.Errorf("the selection is at %q", d.selected())
	}
	d.sees("what has failed here", `input "a"`, `input "n"`, "made by node 0")
	d.press("k", "[", "esc", "G")
	d.lacks("what has failed here")
	d.press("!")
	d.sees("what has failed here")
	d.press("2", "k", "space", "p", "!")
	d.lacks("what has failed here")
}

// TestBlameOfValue goes to the node from the pane of a value that could not be computed.
func TestBlameOfValue(t *testing.T) {
	d := blameDesk(t, mismatched, errMismatch, 120, 40)
	d.press("G", "=")
	d.sees("! goes there", "add_bad")
	d.press("!")
	if d.selected() != "add_bad" {
		t.Errorf("the selection is at %q", d.selected())
	}
}

// TestBlameInBody goes into the body that contains the node.
func TestBlameInBody(t *testing.T) {
	err := &ort.Error{
		Phase: ort.Loading, Model: "model.onnx", Code: 1,
		Message: `Load model from model.onnx failed:This is an invalid model. In Node, ("inner", Frobnicate, "", -1) : ("h": tensor(float),) -> ("t",) , Error No Op registered for Frobnicate with domain_version of 17`,
	}
	d := blameDesk(t, branchy+`
init yes bool 1
graph one
inner: t = Frobnicate(h)
output t f32[1,4]
end
graph two
e = Abs(h)
output e f32[1,4]
end
choose: chosen = If(yes) then_branch=@one else_branch=@two
`, err, 120, 40)
	failed(d)
	d.press("enter")
	if d.selected() != "inner" {
		t.Errorf("the selection is at %q", d.selected())
	}
	d.sees("what has failed here")
}

// TestNoBlame uses errors that name no node.
func TestNoBlame(t *testing.T) {
	for name, err := range map[string]error{
		"not of the runtime": errLuck,
		"of a start":         &ort.Error{Phase: ort.Starting, Message: "no library"},
		"of unknown words":   &ort.Error{Phase: ort.Loading, Model: "model.onnx", Code: 1, Message: "the moon is full"},
		"of no node here":    &ort.Error{Phase: ort.Loading, Model: "model.onnx", Code: 1, Message: "Load model from model.onnx failed:Type Error: Type parameter (T) of Optype (Sub) bound to different types (tensor(float) and tensor(int64) in node (elsewhere)."},
	} {
		t.Run(name, func(t *testing.T) {
			d := blameDesk(t, mismatched, err, 120, 40)
			failed(d)
			d.press("!")
			d.lacks("goes there")
			d.press("esc", "!")
			if d.selected() != "x" {
				t.Errorf("the selection is at %q", d.selected())
			}
		})
	}
	d := blameDesk(t, mismatched, errMismatch, 120, 40)
	d.press("!")
	d.sees("the last job did not fail")
}

// TestBlameOfAnotherFile lets a step on files fail with a file that is not the model.
func TestBlameOfAnotherFile(t *testing.T) {
	m := graphtest.Model(t, mismatched)
	onFiles := fakeValidate()
	if b := graph.BlameOf(errMismatch, onFiles, m); b != nil {
		t.Errorf("a file's error leads to %v", b.Sites)
	}
	if b := graph.BlameOf(errMismatch, fakeAxes(), m); b == nil || len(b.Spots) != 1 {
		t.Errorf("the model's error leads to %v", b)
	}
}

// TestBlameInAPart lets the runtime fail on a part of the model: the node is found in the model
// that is shown.
func TestBlameInAPart(t *testing.T) {
	m := graphtest.Model(t, mismatched)
	part, err := runtime.Expose(m, []string{"z"})
	if err != nil {
		t.Fatal(err)
	}
	const bad = 1 // of the nodes
	there := graph.Spot{Place: m.Places()[0], Row: graph.InputRows(m.Places()[0]) + bad}
	for name, failure := range map[string]*runtime.Failure{
		"words": {Err: errMismatch, Finding: fault.Locate(fault.Parse(1, errMismatch.Message), part)},
		"crash": {Err: errCrash, Suspect: &fault.Suspect{Site: fault.Site{Place: part.Places()[0], Index: bad}, Alone: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if b := graph.BlameOf(failure, fakeAxes(), m); b == nil || len(b.Spots) != 1 || b.Spots[0] != there {
				t.Fatalf("the error leads to %v", b)
			}
			if b := graph.BlameOf(failure, fakeValidate(), m); b != nil {
				t.Errorf("the error of a file leads to %v", b.Spots)
			}
			d := blameDesk(t, mismatched, errLuck, 120, 40)
			d.app.ws.Jobs.List = append(d.app.ws.Jobs.List, &workspace.Job{Name: "run-model", State: workspace.JobFailed, Blame: graph.BlameOf(failure, fakeAxes(), d.app.ws.Model())})
			d.press("!")
			if name == "words" {
				d.sees("what has failed here", `input "a"`)
			}
		})
	}
	if b := graph.BlameOf(&runtime.Failure{Err: errCrash, Suspect: &fault.Suspect{Site: fault.Site{Place: graphtest.Model(t, mismatched).Places()[0]}}}, fakeAxes(), m); b != nil {
		t.Errorf("the node of another model leads to %v", b.Spots)
	}
}

// TestBlameOfCrash goes to the node of a crash.
func TestBlameOfCrash(t *testing.T) {
	o := testOptions(graphtest.Model(t, mismatched))
	p := newFakeProber()
	node := fault.Site{Place: o.Model.Places()[0], Index: 2}
	p.fails = map[string]error{"y": &runtime.Failure{Err: errCrash, Suspect: &fault.Suspect{Site: node}}}
	d := probingDesk(t, p, o.Model, 120, 40)
	d.press("G", "=")
	d.sees("SIGSEGV", "last words", "! goes there")
	d.press("!")
	if d.selected() != "last" {
		t.Errorf("the selection is at %q", d.selected())
	}
	d.sees("what has failed here", "the runtime crashes on")
}
