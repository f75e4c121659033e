package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
)

// placesModel has a body in a body, and a function.
const placesModel = `
graph deep
far: z = Neg(h)
output z f32[1]
end
graph outer
near: u = Abs(h)
inner: t = If(flag) then_branch=@deep else_branch=@deep
output t f32[1]
end
input x f32[1]
input flag bool
first: h = Relu(x)
choose: y = If(flag) then_branch=@outer else_branch=@deep
output y f32[1]
`

func TestEnterAndLeave(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, placesModel), 120, 24)
	for _, c := range []struct {
		keys string
		want string // selected
		sees string
	}{
		{"j j j enter", "choose", "then_branch"},
		{"enter", "h", "model.onnx ▸ choose:then_branch"},
		{"j j j o", "inner", "else_branch"},
		{"enter", "h", "▸ choose:then_branch ▸ inner:then_branch"},
		{"h", "first", "model.onnx  "}, // the node that makes the captured value
		{"[", "h", "▸ inner:then_branch"},
		{"backspace", "inner", "▸ choose:then_branch"},
		{"esc", "choose", "model.onnx  "},
		{"esc", "choose", "model.onnx  "},
		{"[", "inner", "▸ choose:then_branch"},
		{"]", "choose", "model.onnx  "},
	} {
		for _, k := range strings.Fields(c.keys) {
			d.press(k)
		}
		if got := d.selected(); got != c.want {
			t.Errorf("%s: %q is selected, want %q", c.keys, got, c.want)
		}
		d.sees(c.sees)
	}
	d.press("backspace")
	d.sees("this is already the main graph")
}

// TestSearchLooksIntoBodies goes through the matches of all places, and wraps around.
func TestSearchLooksIntoBodies(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, placesModel), 140, 24)
	d.press("/").write("op:Neg,Relu").press("enter")
	d.sees("match 1 of 1, 3 in other bodies")
	var got []string
	for range 5 {
		d.press("n")
		got = append(got, d.selected())
	}
	if diff := cmp.Diff([]string{"far", "far", "far", "first", "far"}, got); diff != "" {
		t.Error(diff)
	}
	d.press("N", "N")
	if d.selected() != "far" || len(d.app.ws.Outline.Place.Hops()) == 0 {
		t.Errorf("before the first is %q", d.selected())
	}
}

// TestBodiesStayEntered stays in the place when a step has changed the model.
func TestBodiesStayEntered(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, placesModel), 120, 24)
	d.press("j", "j", "j", "enter", "enter", "j", "j", "a", "enter", "esc")
	d.sees("▸ choose:then_branch")
	if got := d.selected(); got != "near" {
		t.Errorf("%q is selected, want near", got)
	}
	d.press("space")
	d.sees("outputs are chosen in the main graph")
}
