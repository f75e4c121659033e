package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops/graphtest"
)

// halving halves an image twice and adds the result to it, so that its edges must be multiples of
// 4. There is no demand on the batch.
const halving = `
input image f32[batch,3,height,width]
init first f32[4,3,3,3] 1
init next f32[4,4,3,3] 1
init wider f32[4,4,2,2] 1
init both f32[4,8,3,3] 1
enc0: e0 = Conv(image, first) pads=[1,1,1,1]
down1: p1 = MaxPool(e0) kernel_shape=[2,2] strides=[2,2]
enc1: e1 = Conv(p1, next) pads=[1,1,1,1]
down2: p2 = MaxPool(e1) kernel_shape=[2,2] strides=[2,2]
enc2: e2 = Conv(p2, next) pads=[1,1,1,1]
up1: u1 = ConvTranspose(e2, wider) strides=[2,2]
skip1: c1 = Concat(u1, e1) axis=1
dec1: d1 = Conv(c1, both) pads=[1,1,1,1]
up0: u0 = ConvTranspose(d1, wider) strides=[2,2]
a/module/with/a/name/that/is/too/long/for/a/line/skip0: c0 = Concat(u0, e0) axis=1
dec0: mask = Conv(c0, both) pads=[1,1,1,1]
output mask f32[batch,4,?,?]
`

// TestWhatFits reads which sizes of an axis are valid and goes to the node that decides this, from
// the axis and from the line of its symbol.
func TestWhatFits(t *testing.T) {
	for _, keys := range []string{"6 l l D", "6 G k D", "6 G k enter"} {
		d := axesDesk(t, halving, 120, 40)
		d.press(strings.Fields(keys)...)
		d.sees("demands on height", "a multiple of 4: 4*floor(height/4) = height", "MaxPool down1")
		d.press("G")
		d.sees("holds at every size that the other demands allow")
		d.press("g", "enter")
		if got := d.selected(); !strings.HasSuffix(got, "skip0") || !closed(d) {
			t.Errorf("%s: enter leads to %q", keys, got)
		}
		d.press("N")
		if got := d.selected(); got != "up0" {
			t.Errorf("%s: the demand before that is at %q, want up0", keys, got)
		}
	}
	d := axesDesk(t, halving, 80, 24)
	d.press("6", "l", "l")
	d.sees("axis 2 of 4: height, a symbol", "fits: a multiple of 4", "check 8 · measurement 224", "= height", "skip0", "MaxPool down1")
	d.press("h", "h")
	d.sees("fits: any size", "check 2 · measurement 1")
	d.lacks("skip0")
}

// TestNothingToList explains why there are no demands to list.
func TestNothingToList(t *testing.T) {
	const picked = "input x f32[n]\na: y = NonZero(x)\noutput y i64[1,k]"
	for _, c := range []struct{ model, keys, want string }{
		{halving, "6 D", "no node demands anything of this size"},
		{halving, "6 l D", "the size at the cursor is not a symbol"},
		{halving, "6 j l l D", "the size at the cursor is not a symbol"},
		{picked, "6 j l D", "the inputs have no such symbol"},
	} {
		d := axesDesk(t, c.model, 120, 40)
		d.press(strings.Fields(c.keys)...)
		if s := d.screen(); !strings.Contains(s, c.want) || !closed(d) {
			t.Errorf("%s does not say %q:\n%s", c.keys, c.want, s)
		}
	}
	d := axesDesk(t, "input x f32[1,4]\na: y = Relu(x)\noutput y f32[1,4]", 80, 24)
	d.press("6", "D")
	d.sees("the size at the cursor is not a symbol")
	d.lacks("fits:")
}

// TestFewLines shows as many demands as there is room for.
func TestFewLines(t *testing.T) {
	d := axesDesk(t, halving, 80, 18)
	d.press("6", "l", "l")
	d.sees("= height", "and 6 more; D lists them")
}

// TestFitNeverComes works in the pane while valid sizes are being determined, and drops the answer
// when the model has changed.
func TestFitNeverComes(t *testing.T) {
	d := axesDesk(t, halving, 80, 24)
	d.hold = true
	d.press("6", "l", "l")
	d.sees("axis 2 of 4: height, a symbol", "finding what fits …")
	d.press("D")
	d.sees("the search for sizes that fit is still running")
	d.press("l", "j", "k", "G")
	d.sees("symbol width")
	late, other := d.waiting, d.app.ws.Types
	d.waiting, d.hold = nil, false
	d.press("f").write("8").press("enter", "enter")
	for _, cmd := range late {
		d.perform(cmd)
	}
	if other.Fitting != nil || d.app.ws.Types == other {
		t.Error("what fits another model comes")
	}
	d.press("g")
	d.sees("fits:")
}

// TestFitIsKept shows the valid sizes immediately after undo and redo.
func TestFitIsKept(t *testing.T) {
	d := axesDesk(t, halving, 80, 24)
	d.press("6", "l", "l")
	first := d.app.ws.Types.Fitting
	d.press("f").write("8").press("enter", "enter")
	second := d.app.ws.Types.Fitting
	if first == nil || second == nil || first == second {
		t.Fatalf("what fits is %p before a change and %p after it", first, second)
	}
	d.press("u")
	if d.app.ws.Types.Fitting != first {
		t.Error("undo looks again what fits")
	}
	d.press("ctrl+r")
	if d.app.ws.Types.Fitting != second {
		t.Error("redo looks again what fits")
	}
}

// TestHostileFit shows valid sizes for symbols and nodes with hostile names.
func TestHostileFit(t *testing.T) {
	for _, payload := range graphtest.Hostile {
		d := newDesk(t, graphtest.Decode(t, graphtest.HostileProto(t, payload)), 80, 24)
		d.press("6")
		for range len(axesPaneOf(d).Lines) {
			for _, key := range []string{"j", "D", "esc"} {
				d.press(key)
				if raw := d.unprintable(); raw != "" {
					t.Fatalf("%q, %s: %s\n%s", payload, key, raw, d.screen())
				}
			}
		}
	}
}

// fitViews are screens of valid sizes, with the keys that lead there.
var fitViews = []struct{ name, model, keys string }{
	{"axis", halving, "6 l l"},
	{"symbol", halving, "6 G"},
	{"demands", halving, "6 l l D"},
	{"fixed", "input x f32[1,4]\na: y = Relu(x)\noutput y f32[1,4]", "6"},
}

func TestFitViews(t *testing.T) {
	for _, v := range fitViews {
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := axesDesk(t, v.model, size[0], size[1])
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}
