package tui

import (
	"fmt"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/workspace"
)

// wrongCast computes with the halves of a cast that should go to f32.
const wrongCast = `
input x f32[2,4]
init w f32[4] 1 2 3 4
half = Cast(x) to=10
soft = Softmax(half) axis=1
y = Add(soft, w)
output y f32[2,4]
`

func castDesk(t *testing.T) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, wrongCast))
	o.Steps = steps.All
	return newDeskWith(t, o, 120, 40)
}

func nodeOf(t *testing.T, d *desk, op string) *graphops.Node {
	t.Helper()
	nodes := d.app.ws.Model().Graph().Nodes()
	i := slices.IndexFunc(nodes, func(n *graphops.Node) bool { return n.OpType() == op })
	if i < 0 {
		t.Fatalf("the model has no %s", op)
	}
	return nodes[i]
}

// numberOf returns an attribute of the node with an operator.
func numberOf(t *testing.T, d *desk, op, attribute string) int64 {
	t.Helper()
	a, ok := nodeOf(t, d, op).Attribute(attribute)
	if !ok {
		t.Fatalf("%s has no %s", op, attribute)
	}
	return a.Int()
}

// TestEditInPlace changes an attribute by the name of a type, with two keys and a word.
func TestEditInPlace(t *testing.T) {
	d := castDesk(t)
	d.press("j")
	d.press("e").write("f32")
	d.sees("edit Cast", "to", "f32")
	d.press("enter")
	if to := numberOf(t, d, "Cast", "to"); to != 1 {
		t.Fatalf("the cast goes to %d:\n%s", to, d.screen())
	}
	if d.press("u"); numberOf(t, d, "Cast", "to") != 10 {
		t.Error("undo does not take it back")
	}
}

// TestEditInPlaceShowsWhatIsWrong types values that the operator does not have, and previews one that
// it has.
func TestEditInPlaceShowsWhatIsWrong(t *testing.T) {
	d := castDesk(t)
	d.press("j", "e")
	d.sees("an element type: f32, f16")
	d.write("f3")
	d.sees(`"f3"`)
	d.press("enter")
	if !opens("edit-in-place")(d) {
		t.Fatalf("a wrong value is accepted:\n%s", d.screen())
	}
	d.press("tab")
	d.sees("f32")
	d.lacks(`"f3"`)
	d.press("esc")
	if d.app.ws.Session.CanUndo() != "" {
		t.Error("Esc changes the model")
	}
}

// TestEditInPlaceOfSeveral changes an attribute, the name of the output and that of the node at once.
func TestEditInPlaceOfSeveral(t *testing.T) {
	d := castDesk(t)
	d.press("j", "j", "e").write("0")
	for d.app.dialogs.Top().(interface{ At() int }).At() < 2 {
		d.press("down")
	}
	d.write("probabilities").press("down").write("softmax").press("enter")
	n := nodeOf(t, d, "Softmax")
	if axis := numberOf(t, d, "Softmax", "axis"); axis != 0 || n.Outputs()[0] != "probabilities" || n.Name() != "softmax" {
		t.Errorf("the node is %s %v axis=%d:\n%s", n.Name(), n.Outputs(), axis, d.screen())
	}
}

// TestEditFromTheDetail walks to a line of the detail and edits it there.
func TestEditFromTheDetail(t *testing.T) {
	d := castDesk(t)
	d.press("j", "j", "3")
	for range 10 {
		if d.press("j"); d.app.focused().Said() == "axis = 1" {
			break
		}
	}
	d.press("enter")
	d.sees("edit Softmax")
	d.write("-1").press("enter")
	if axis := numberOf(t, d, "Softmax", "axis"); axis != -1 {
		t.Errorf("axis is %d:\n%s", axis, d.screen())
	}
}

// TestEditOfAnInput declares another shape and another name.
func TestEditOfAnInput(t *testing.T) {
	d := castDesk(t)
	d.press("e").write("f16").press("enter") // the shape stays
	if got := d.app.ws.Model().Graph().Inputs()[0].Type().Declaration(); got != "f16[2,4]" {
		t.Errorf("the input is %s:\n%s", got, d.screen())
	}
	d.press("u", "e").write("f32[n,4]").press("down").write("pixels").press("enter")
	in := d.app.ws.Model().Graph().Inputs()[0]
	if in.Name() != "pixels" || in.Type().Declaration() != "f32[n,4]" {
		t.Errorf("the input is %s %s:\n%s", in.Name(), in.Type().Declaration(), d.screen())
	}
	d.app.Look(workspace.PlaceNodes)
}

// TestInsertFromThePalette types the operator after the name of the step.
func TestInsertFromThePalette(t *testing.T) {
	d := castDesk(t)
	d.press("j", ":").write("insert Relu").press("enter")
	if got := valuesOf(d, "op"); got != "Relu" {
		t.Errorf("the form has the operator %q:\n%s", got, d.screen())
	}
}

// TestEditConstant edits the value of a Constant. Attributes that would be a second value are not offered.
func TestEditConstant(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, "input x f32[2]\noutput y f32[2]\nc = Constant() value={f32[] 0.5}\ny = Mul(x, c)\n"), 100, 30)
	d.press("K", "g", "j", "e") // shows constants
	d.sees("f32[]{0.5}")
	d.lacks("value_float")
	d.write("f32[]{0.25}").press("enter")
	d.press("e")
	d.sees("f32[]{0.25}")
}

// TestEditOperator: the operator of a node is a line of the dialog. The node keeps its name, and the attributes
// that the new operator has. A node with bodies has no such line.
func TestEditOperator(t *testing.T) {
	const model = "input x f32[2]\nact: y = LeakyRelu(x) alpha=0.25\noutput y f32[2]"
	for typed, want := range map[string]string{"Relu": "Relu ", "Elu": "Elu alpha=0.25", "ThresholdedRelu": "ThresholdedRelu alpha=0.25"} {
		o := testOptions(graphtest.Model(t, model))
		o.Steps = steps.All
		d := newDeskWith(t, o, 120, 40)
		d.press("j", "e")
		d.sees("operator         LeakyRelu")
		for range 4 {
			d.press("down")
		}
		d.press("ctrl+u").write(typed).press("enter")
		n := d.app.ws.Model().Graph().Nodes()[0]
		got := n.OpType() + " "
		if a, ok := n.Attribute("alpha"); ok {
			got += fmt.Sprint("alpha=", a.Float())
		}
		if got != want || n.Name() != "act" || n.Outputs()[0] != "y" {
			t.Errorf("%s: %s, node %q\n%s", typed, got, n.Name(), d.screen())
		}
	}
	o := testOptions(graphtest.Model(t, branchy+branchyBody))
	o.Steps = steps.All
	d := newDeskWith(t, o, 120, 40)
	toBody(d)
	d.press("e")
	d.lacks("operator  ")
}
