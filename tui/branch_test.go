package tui

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/steps/cut"
	"lathe/session/steps/edit"
	"lathe/session/steps/shrink"
	"lathe/tui/workspace"
)

// merged has a decoder for the first token and one for the others, as exporters merge them.
const merged = `opset 17
input x f32[2]
input cached bool[]
graph then
p = Abs(x)
output p f32[2]
end
graph else
q = Neg(x)
hidden = Exp(q)
output hidden f32[2]
end
not = Not(cached)
both: y = If(not) then_branch=@then else_branch=@else
z = Relu(y)
output z f32[2]
`

func branchDesk(t *testing.T, model string) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, model))
	o.Env.Runtime = missingRuntime{}
	o.Env.Progress = func(session.Progress) {}
	o.Steps = func() []session.Step {
		fakes := slices.DeleteFunc(fakeSteps(), func(s session.Step) bool {
			return slices.Contains([]string{"constants", "simplify", "prune"}, s.Name())
		})
		return append(fakes, &edit.Constants{}, &shrink.Simplify{}, &cut.Prune{})
	}
	return newDeskWith(t, o, 120, 40)
}

// TestKeepBranch marks a value in a branch of an If: it is refused with the action that keeps this
// branch, after which the value is in the main graph. The command that is copied then does all of it.
func TestKeepBranch(t *testing.T) {
	d := branchDesk(t, merged)
	d.press("/").write("op:If").press("enter", "o", "down", "enter") // the second branch listed
	d.press("G", "p").sees(":keep-branch puts this branch in the place of the If")
	place := d.app.ws.Outline.Place.Attribute
	want := map[string]string{"else_branch": "Neg", "then_branch": "Abs"}[place]
	d.press(":").write("keep-branch").press("enter")
	kept := func(op string) bool { return strings.Contains(", "+operators(d)+",", ", "+op+",") }
	if !kept(want) || kept("If") {
		t.Fatalf("branch %s: nodes %s; %s is expected", place, operators(d), want)
	}
	if got := workspace.StepsTaken(d.app.ws); got != "constants, simplify" {
		t.Errorf("steps %s", got)
	}
	value := map[string]string{"else_branch": "true", "then_branch": "false"}[place] // not is its negation
	d.press("y")
	if got := "lathe constants from-inputs model.onnx --set=cached=" + value + " --out=model.step1.onnx && lathe simplify model.step1.onnx --only=constant-branches"; d.clipboard != got {
		t.Errorf("copied %s, want %s", d.clipboard, got)
	}
}

// TestKeepBranchRefused checks what is said about conditions that no input gives.
func TestKeepBranchRefused(t *testing.T) {
	computed := strings.Replace(merged, "not = Not(cached)", "sum = ReduceSum(x) keepdims=0\nzero = Sub(sum, sum)\nnot = Less(zero, sum)", 1)
	d := branchDesk(t, computed)
	d.press("/").write("op:If").press("enter", ":").write("keep-branch").press("enter")
	d.sees("the condition of this If is computed by a node Less, not given by an input")
}

func operators(d *desk) string {
	var out []string
	for _, n := range d.app.ws.Model().Graph().Nodes() {
		out = append(out, n.OpType())
	}
	return strings.Join(out, ", ")
}
