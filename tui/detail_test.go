package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/graphtest"
	"lathe/tui/actions"
	"lathe/tui/boxes"
	"lathe/tui/detail"
	"lathe/tui/inplace"
	"lathe/tui/workspace"
)

// at presses keys in the list and then looks at another pane.
func at(p actions.Place, keys ...string) func(*desk) {
	return func(d *desk) {
		d.press(keys...)
		d.app.Look(p)
		d.resize(d.app.w, d.app.h)
	}
}

// onBox reports whether the cursor is on a box.
func onBox(layer, box int) func(*desk) bool {
	return func(d *desk) bool { return detailOf(d).Around.Cursor == boxes.At{Layer: layer, Box: box} }
}

func init() {
	effects[workspace.PlaceDetail] = map[actions.Name]effect{
		"edit-line":          {press("j", "j", "3"), opens(inplace.Place)},
		detail.ActionBoxNext: {at(workspace.PlaceDetail, "j", "j"), onBox(2, 0)},
		"previous-box":       {at(workspace.PlaceDetail, "j", "j"), onBox(0, 0)},
		"box-below":          {at(workspace.PlaceDetail, "j", "j"), onBox(2, 1)},
		"box-above":          {at(workspace.PlaceDetail, "j", "j"), onBox(0, 0)},
		detail.ActionFollow:  {func(d *desk) { at(workspace.PlaceDetail, "j", "j")(d); d.press("l") }, selects("left")},
		"steps":              {at(workspace.PlaceDetail, "j", "j"), func(d *desk) bool { return len(detailOf(d).Around.Picture.Rects) == 5 }},
		"fold-boxes":         {at(workspace.PlaceDetail, "j", "j"), func(d *desk) bool { return !detailOf(d).Around.IsDrawn() }},
	}
	views = append(views, []struct{ name, keys string }{
		{"boxes", "j j j j j tab K"},
		{"boxes-two", "j j j j j tab d l"},
		{"boxes-folded", "j j j j j tab f"},
	}...)
}

// detailDesk returns a desk wide enough for the detail pane beside the list.
func detailDesk(t *testing.T, model string, keys ...string) *desk {
	t.Helper()
	return newDesk(t, graphtest.Model(t, model), 125, 50).press("3", "2").press(keys...)
}

// pictured returns the drawing of the detail pane, as lines of operators, names and labels.
func pictured(d *desk) string {
	var b strings.Builder
	for _, line := range detailOf(d).Around.Picture.Lines {
		var words []string
		for _, span := range line {
			if s := strings.TrimSpace(span.Text); span.Part >= boxes.Title && s != "" {
				words = append(words, s)
			}
		}
		if len(words) > 0 {
			b.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return b.String()
}

func TestNeighbourhood(t *testing.T) {
	for _, c := range []struct {
		name, model string
		keys        string
		want        string
	}{
		{"a node with a constant", branchy, "j j", `
			input x
			f32 1×4
			● MatMul fc
			f32 1×4 f32 1×4
			Relu left Sigmoid right`},
		{"an input", branchy, "", `
			given to the graph
			○ input x
			f32 1×4
			MatMul fc`},
		{"an output", branchy, "G k", `
			Mul masked
			f32 1×4
			◎ output y
			leaves the graph`},
		{"two steps", branchy, "j j j j j z", `
			MatMul fc
			f32 1×4 f32 1×4
			Relu left Sigmoid right
			f32 1×4 f32 1×4
			● Add join
			f32 1×4 f32 1×4
			Mul masked Split halves
			f32 1×4 f32 1×2
			output y output p`},
		{"one both one and two steps away", "input x f32[1]\nvalue h f32[1]\nvalue i f32[1]\na: h = Relu(x)\nb: i = Neg(h)\nc: y = Add(h, i)\noutput y f32[1]", "j j j z", `
			Relu a
			f32 1
			Neg b
			f32 1
			● Add c
			f32 1
			output y`},
		{"several values between two", "input x f32[4]\na: p, q = Split(x)\nb: y = Concat(p, q, x) axis=0\noutput y f32[8]", "j j", `
			Split a input x
			2 values f32 4
			● Concat b
			f32 8
			output y`},
		{"constants alone", "init w f32[2] 1\na: y = Relu(w)\nb: z = RandomNormal()", "", `
			reads constants alone
			● Relu a
			read by nothing`},
		{"nothing read", "init w f32[2] 1\na: y = Relu(w)\nb: z = RandomNormal()", "j", `
			reads nothing
			● RandomNormal b
			read by nothing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := detailDesk(t, c.model)
			for _, k := range strings.Fields(c.keys) {
				if k == "z" {
					at(workspace.PlaceDetail)(d)
				}
				d.press(k)
			}
			want := strings.ReplaceAll(strings.TrimSpace(c.want), "\t", "") + "\n"
			if got := pictured(d); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestNeighboursAroundABody looks from inside a body at what surrounds it.
func TestNeighboursAroundABody(t *testing.T) {
	d := detailDesk(t, branchy+branchyBody)
	toBody(d)
	d.press("o", "enter")
	if got := pictured(d); !strings.Contains(got, "MatMul fc") || !strings.Contains(got, "○ outer h") {
		t.Errorf("of a captured value is drawn\n%s", got)
	}
	d.press("G")
	if got := pictured(d); !strings.Contains(got, "If choose") {
		t.Errorf("of a body's output is drawn\n%s", got)
	}
	at(workspace.PlaceDetail)(d)
	if d.press("J", "enter"); d.selected() != "choose" {
		t.Errorf("the box leads to %q", d.selected())
	}
	if d.press("["); d.selected() != "t" {
		t.Errorf("back leads to %q", d.selected())
	}
}

// TestHub draws a value with many readers: a few boxes, and the number of further ones.
func TestHub(t *testing.T) {
	var b strings.Builder
	b.WriteString("input x f32[4]\n")
	for i := range 500 {
		fmt.Fprintf(&b, "n%d: y%d = Relu(x)\n", i, i)
	}
	d := detailDesk(t, b.String())
	if got := pictured(d); !strings.Contains(got, "+497 more") {
		t.Errorf("drawn is\n%s", got)
	}
	at(workspace.PlaceDetail)(d)
	d.press("l")
	d.sees("reads it, 1 of 3, 497 not drawn: Relu n0")
	if d.press("K", "K", "K"); !onBox(1, 0)(d) {
		t.Error("the cursor left the drawing")
	}
}

// TestHeightsStay moves along a chain: what is below the boxes stays in place.
func TestHeightsStay(t *testing.T) {
	d := newDesk(t, chain(t, 60), 125, 50).press("3", "2")
	want := detailOf(d).Around.Height()
	for range 61 {
		d.press("j")
		if got := detailOf(d).Around.Height(); got != want {
			t.Fatalf("the drawing of %s is %d lines high, want %d", d.selected(), got, want)
		}
	}
}

func TestClickOnABox(t *testing.T) {
	d := detailDesk(t, branchy, "j", "j")
	var detail placed
	for _, p := range d.app.panes(d.app.screen()) {
		if p.Panel.Place == workspace.PlaceDetail {
			detail = p
		}
	}
	r := detailOf(d).Around.Picture.Rects[2][1]
	click := func(x, y int) {
		d.send(tea.MouseClickMsg{X: detail.at.X + 1 + x, Y: detail.at.Y + y, Button: tea.MouseLeft})
	}
	click(0, r.Y-1)
	if !onBox(1, 0)(d) {
		t.Error("a click beside the boxes moves the cursor")
	}
	if click(r.X+1, r.Y+1); !onBox(2, 1)(d) {
		t.Error("a click on a box does not put the cursor there")
	}
	if click(r.X+1, r.Y+1); d.selected() != "right" {
		t.Errorf("a second click leads to %q", d.selected())
	}
}

// TestSmallConstants shows the elements of small constants once they are read, and drops the answer
// for a row that was left.
func TestSmallConstants(t *testing.T) {
	d := detailDesk(t, `
		input x f32[2]
		init small f32[2] 1.5 2
		init large f32[9] 1
		n: y = Op(x, small, large) value={i64[3] 7 8 9} to=1
		c: z = Cast(y) to=10
		output z f16[2]`, "j")
	d.sees("initializer, 8 B: [1.5, 2]", "value = i64 3, 24 B: [7, 8, 9]")
	d.lacks("[1, 1")
	d.press("k")
	d.hold = true
	d.press("j")
	held := d.waiting
	d.waiting, d.hold = nil, false
	d.press("j")
	for _, cmd := range held {
		d.perform(cmd)
	}
	d.sees("to = 10, f16")
	if v := detailOf(d).Values; len(v) > 0 {
		t.Errorf("the values %v are of another row", v)
	}
}

// TestUnreadableConstants says why a small constant cannot be read.
func TestUnreadableConstants(t *testing.T) {
	p := graphtest.Proto(t, "input x f32[2]\ninit w f32[2] 1\nn: y = Add(x, w)\noutput y f32[2]")
	p.Graph.Initializer[0].RawData = p.Graph.Initializer[0].RawData[:3]
	d := newDesk(t, graphtest.Decode(t, p), 125, 50).press("j")
	d.sees("the file has 3")
}

// TestInputLeads goes from the line of an input to the node that makes it. A constant leads nowhere.
func TestInputLeads(t *testing.T) {
	d := detailDesk(t, branchy, "j", "j", "j")
	at(workspace.PlaceDetail)(d)
	if d.press("G", "enter"); d.selected() != "fc" {
		t.Errorf("the input leads to %q", d.selected())
	}
	if d.press("G"); !strings.HasPrefix(detailOf(d).Said(), "x  f32") {
		t.Errorf("the cursor is on %q", detailOf(d).Said())
	}
	if d.press("enter"); d.selected() != "x" {
		t.Errorf("the input leads to %q", d.selected())
	}
}

func TestDetailRefuses(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 80, 14)
	at(workspace.PlaceDetail, "j", "j")(d)
	d.press("z")
	d.sees("the pane has no room for boxes")
	d.resize(80, 30)
	d.press("f", "l")
	d.sees("the boxes are hidden")
	d.press("f", "enter")
	d.sees("the cursor is on this node itself")
}

// TestSaidOfBoxes checks what a screen reader says about the box at the cursor.
func TestSaidOfBoxes(t *testing.T) {
	d := detailDesk(t, branchy, "j", "j")
	p := detailOf(d)
	if s := p.Said(); !strings.Contains(s, "MatMul") || !strings.Contains(s, "to 1 Relu, 2 Sigmoid") {
		t.Errorf("said is %q", s)
	}
	d.app.Perform(p, detail.ActionBoxNext)
	if got, want := p.Said(), "reads it, 1 of 2: Relu left"; got != want {
		t.Errorf("said is %q, want %q", got, want)
	}
}

// TestDetailCompiled shows what an execution provider has compiled.
func TestDetailCompiled(t *testing.T) {
	d := detailDesk(t, `
opset com.microsoft 1
opset 17
input x f32[2]
ctx: y = com.microsoft::EPContext(x) ep_cache_context='abc' source='QNNExecutionProvider' ep_sdk_version='2.1'
output y f32[2]
`, "j")
	said := detailOf(d).Said()
	for _, want := range []string{"compiled part", "provider  qnn, SDK 2.1", "blob  in the node, 3 B", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
}
