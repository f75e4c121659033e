package tui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"lathe/tui/guide"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/steps/cut"
	"lathe/tui/actions"
	"lathe/tui/axes"
	"lathe/tui/graph"
	"lathe/tui/nodes"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// pinned is a model whose batch of 1 is fixed by a Reshape, with a constant for which no repair is
// known.
const pinned = `
input ids i64[1,6]
input x f32[1,4,6]
init heads i64[4] 1 2 2 6
init table f32[7,6] 1
init row f32[1,6] 1
look: e = Gather(table, ids)
split: h = Reshape(x, heads)
flat: f = ReduceSum(h) keepdims=0
half: r = Concat(row, row) axis=0
act: y = Relu(h)
output y f32[1,2,2,6]
output e f32[1,6,6]
`

// missingRuntime is a runtime that cannot run models.
type missingRuntime struct{ runtime.Runtime }

func (missingRuntime) Load(context.Context, *graphops.Model, runtime.Execution) (runtime.Loaded, error) {
	return nil, ort.ErrNoRuntime
}

// withAxes gives the desk the real step of axes.
func withAxes(d *desk) {
	d.app.ws.Options.Env.Runtime = missingRuntime{}
	fakes := d.app.ws.Options.Steps
	d.app.ws.Options.Steps = func() []session.Step {
		list := fakes()
		i := slices.IndexFunc(list, func(s session.Step) bool { return s.Name() == "axes" })
		list[i] = &cut.Axes{}
		return list
	}
}

func axesDesk(t testing.TB, text string, w, h int) *desk {
	t.Helper()
	d := newDesk(t, graphtest.Model(t, text), w, h)
	withAxes(d)
	return d
}

func axesPaneOf(d *desk) *axes.Pane { return d.paneOf(workspace.PlaceAxes).(*axes.Pane) }

// inAxes opens the pane of axes, and presses keys.
func inAxes(keys ...string) func(*desk) {
	return func(d *desk) { withAxes(d); d.press("6"); d.press(keys...) }
}

// freed names the first axis of the first input, so that there is a symbol.
func freed(keys ...string) func(*desk) {
	return func(d *desk) { inAxes("d", "enter", "enter")(d); d.press(keys...) }
}

func axisAt(n int) func(*desk) bool { return func(d *desk) bool { return axesPaneOf(d).Axis == n } }

func init() {
	effects[shell.PlaceMain]["look-axes"] = effect{nil, looksAt(workspace.PlaceAxes)}
	effects[shell.PlaceMain]["axes-here"] = effect{nil, looksAt(workspace.PlaceAxes)}
	effects[shell.PlaceMain]["pins"] = effect{func(d *desk) { leavePins(d, 2) }, opens(workspace.PlaceFindings)}
	effects[workspace.PlaceAxes] = map[actions.Name]effect{
		"free-axis":        {inAxes(), opens(axes.PlaceAxis)},
		"fix-axis":         {freed(), opens(axes.PlaceAxis)},
		"next-axis":        {inAxes(), axisAt(1)},
		"previous-axis":    {inAxes("l"), axisAt(0)},
		"mark-axis":        {inAxes(), func(d *desk) bool { return axesPaneOf(d).Marked[axes.AxisRef{Value: "x", Axis: 0}] }},
		"size-of-symbol":   {freed(), opens(axes.PlaceAxis)},
		axes.ActionDemands: {demanded, opens(workspace.PlaceFindings)},
		nodes.ActionOpen:   {inAxes("j"), func(d *desk) bool { return looksAt(workspace.PlaceNodes)(d) && d.selected() == "mask" }},
	}
	effects[axes.PlaceAxis] = map[actions.Name]effect{
		shell.ActionAccept: {inAxes("d"), opens(axes.PlaceChange)},
		shell.ActionClose:  {inAxes("d"), closed},
	}
	effects[axes.PlaceChange] = map[actions.Name]effect{
		shell.ActionCopy:   {inAxes("d", "enter"), func(d *desk) bool { return d.clipboard == "lathe axes model.onnx --dynamic=x:0=batch" }},
		shell.ActionAccept: {inAxes("d", "enter"), func(d *desk) bool { return d.app.ws.Session.CanUndo() == "axes" }},
		"repair":           {inAxes("d", "enter"), func(d *desk) bool { return !theChange(d).Repair }},
		axes.ActionToNode:  {func(d *desk) { inAxes("d", "enter")(d); theChange(d).Set(manyPins(d, 2)) }, func(d *desk) bool { return closed(d) && d.selected() == "fc" }},
		shell.ActionClose:  {inAxes("d", "enter"), closed},
		shell.ActionHelp:   {inAxes("d", "enter"), opens(guide.PlaceHelp)},
	}
	positions[workspace.PlaceAxes] = position{func(d *desk) {
		inAxes()(d)
		p := axesPaneOf(d)
		for i := range 100 {
			p.Lines = append(p.Lines, axes.AxesLine{What: "symbol", Name: fmt.Sprint(i)})
		}
		p.Rows.Reset(len(p.Lines), 0)
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return axesPaneOf(d).Rows.Cursor }}
	positions[axes.PlaceChange] = position{func(d *desk) {
		inAxes("d", "enter")(d)
		theChange(d).Set(manyPins(d, 100))
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return theChange(d).Rows.Cursor }}
}

// demanded adds a demand of a node on the first axis.
func demanded(d *desk) {
	freed()(d)
	fit := axesPaneOf(d).Fit()
	fit.Demands = append(fit.Demands, manyPins(d, 1)...)
}

func theChange(d *desk) *axes.AxesDialog { return d.app.dialogs.Top().(*axes.AxesDialog) }

// manyPins returns pins at the nodes of the model, over and over.
func manyPins(d *desk, n int) []graph.Finding {
	out := make([]graph.Finding, n)
	for i := range out {
		out[i] = graph.Finding{Spot: graph.Spot{Place: d.app.ws.Outline.Place, Row: 2 + i%3}, Where: "somewhere", Text: "needs batch"}
	}
	return out
}

// leavePins makes the model look as if a change of axes had left pins.
func leavePins(d *desk, n int) {
	d.app.ws.Pins = map[*graphops.Model][]graph.Finding{d.app.ws.Model(): manyPins(d, n)}
}

// TestFreeingAnAxis goes the whole way: name the axis, see the pin, go to it, repair it, apply,
// undo and redo.
func TestFreeingAnAxis(t *testing.T) {
	d := axesDesk(t, pinned, 120, 40)
	d.press("j", "d") // on x
	d.sees("input x", "axis 0 of 3: 1, a number")
	d.press("d")
	d.sees("symbol for axis 0 of x", "batch")
	d.press("enter")
	d.sees("axes: dynamic x:0=batch", "1 fixed size is repaired, and runs prove the result (r: leave them)", "Reshape split  needs batch where element 0", "changes the type of", "x    f32  batch×4×6")
	d.press("r")
	d.sees("1 fixed size is left: the model runs at the old size only (r: repair)", "repair: ")
	d.press("o")
	if d.selected() != "split" || !closed(d) {
		t.Fatalf("o on a pin leads to %q", d.selected())
	}
	d.sees("fixed sizes: row 1 of 1", "A goes back to the preview, n to the next fixed size")
	d.press("A", "r")
	d.sees("1 fixed size is repaired", "needs batch where element 0 of \"heads\" is 1, repaired")
	if d.app.ws.Session.CanUndo() != "" {
		t.Fatal("a preview has changed the model")
	}
	d.press("enter")
	d.sees("f32 batch×2×2×6", "axes: not ok; not proved, 1 fixed size repaired: ", "after axes", "no size")
	d.lacks("f32 1×2×2×6")
	if got, want := lastCommand(d.app.ws), "lathe axes model.onnx --dynamic=x:0=batch --repair"; got != want {
		t.Errorf("the command is %q, want %q", got, want)
	}
	d.press("u")
	d.sees("f32 1×2×2×6")
	d.press("ctrl+r")
	d.sees("f32 batch×2×2×6")
}

// TestPreviewIsComeBackTo leaves a preview for one of its pins, moves, and returns to it unchanged;
// a preview that was canceled, or that is about another model, is gone.
func TestPreviewIsComeBackTo(t *testing.T) {
	d := axesDesk(t, pinned, 80, 24)
	d.press("6", "j", "d", "enter")
	theChange(d).Set(manyPins(d, 3))
	d.press("j", "o")
	d.sees("A goes back to the preview, n to the next fixed size")
	at := d.selected()
	for _, key := range []string{"n", "N"} {
		if d.press(key); d.selected() == at {
			t.Errorf("%s stays at %q", key, at)
		}
		at = d.selected()
	}
	d.press("y")
	d.sees("this change is only a preview; A goes back to it")
	d.press("A")
	if c := theChange(d); !c.Repair || c.Rows.Cursor != 1 || len(c.List) != 3 {
		t.Errorf("the preview is another one:\n%s", d.screen())
	}
	d.press("o", "6", "d", "enter", "esc", "A") // another one in between
	if c := theChange(d); c.Rows.Cursor != 1 {
		t.Errorf("the cursor is at %d", c.Rows.Cursor)
	}
	if d.press("enter"); d.app.ws.Session.CanUndo() != "axes" {
		t.Error("the preview that was come back to does nothing")
	}
	d.press("A")
	d.sees("no change of axes has left a fixed size in this model")
	d.press("u", "6", "d", "enter", "o", "A", "esc", "A")
	d.sees("no change of axes has left a fixed size in this model")
}

// TestProposalIsReplaced types over the name proposed for an axis; a key that moves the cursor
// keeps it.
func TestProposalIsReplaced(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"enter", "batch"},
		{"n enter", "n"},
		{"b n enter", "bn"},
		{"end 2 enter", "batch2"},
		{"left 2 enter", "batc2h"},
		{"home a enter", "abatch"},
		{"backspace n enter", "n"},
		{"delete n enter", "n"},
		{"end backspace enter", "batc"},
		{"b a t c h 2 enter", "batch2"},
	} {
		d := axesDesk(t, pinned, 80, 24)
		d.press("6", "d").press(strings.Fields(c.keys)...)
		if closed(d) || d.app.dialogs.Top().Place() != axes.PlaceChange {
			t.Fatalf("%s: no preview opens:\n%s", c.keys, d.screen())
		}
		if got, want := theChange(d).Values[0], "ids:0="+c.want; got != want {
			t.Errorf("%s: %q, want %q", c.keys, got, want)
		}
	}
	d := axesDesk(t, pinned, 80, 24)
	d.press("6", "d").send(tea.PasteMsg{Content: "pasted"})
	d.press("enter")
	d.sees("axes: dynamic ids:0=pasted")
}

// TestVerdictComesFirst puts what was proved before everything else that a change did.
func TestVerdictComesFirst(t *testing.T) {
	d := axesDesk(t, pinned, 80, 24)
	d.press("6", "j", "d", "enter", "enter")
	d.sees("axes: not ok; not proved, 1 fixed size repaired: ")
	for _, c := range []struct{ report, want string }{
		{"changes the type of 2 values\ninputs\n  x\nproved: bit-equal at batch=1", "proved, 1 fixed size repaired: bit-equal at batch=1; changes the type of 2 values"},
		{"changes 1\nwarning: not proved: no runtime\nwarning: large", "not proved, 1 fixed size repaired: no runtime; changes 1; warning: large"},
		{"changes 1", "1 fixed size repaired; changes 1"},
		{"proved: all", "proved, 1 fixed size repaired: all"},
		{"changes 1\nequal to the original at n=1", "1 fixed size repaired; equal to the original at n=1; changes 1"},
	} {
		if got := workspace.GistOf(mended(c.report), nil); got != c.want {
			t.Errorf("the gist is %q, want %q", got, c.want)
		}
	}
}

// mended is a report of a repaired pin and of what else it tells.
type mended string

func (r mended) WriteText(w io.Writer) error { return r.WriteRest(w) }
func (r mended) WriteRest(w io.Writer) error { _, err := io.WriteString(w, string(r)+"\n"); return err }
func (r mended) Findings() []session.Finding { return []session.Finding{{IsMended: true}} }

// TestPinsAreWalked closes a change with pins left and goes through them.
func TestPinsAreWalked(t *testing.T) {
	d := axesDesk(t, pinned, 120, 40)
	d.press("j", "d", "d", "enter", "r", "enter")
	d.sees("axes: ok; 1 fixed size left: the model runs at the old size only")
	d.press("2", "g", "n")
	if d.selected() != "split" {
		t.Fatalf("n leads to %q, want the pin", d.selected())
	}
	d.press("3")
	d.sees("keeps an axis from being dynamic", "needs batch where element 0 of \"heads\" is 1")
	d.press("/").write("relu").press("enter", "A")
	d.sees("fixed sizes", "Reshape split")
	d.press("esc", "u")
	if d.press("A"); !closed(d) {
		t.Error("the pins of another model are listed")
	}
	d.press("ctrl+r", "A")
	d.sees("Reshape split")
}

// TestFixingASymbol fixes a symbol, from its axis and from its own line.
func TestFixingASymbol(t *testing.T) {
	for _, keys := range [][]string{{"d"}, {"6", "G"}} {
		d := axesDesk(t, "input x f32[batch,4]\na: y = Relu(x)\noutput y f32[batch,4]", 120, 40)
		d.press(keys...).press("f").write("8")
		d.sees("fix batch at")
		d.press("enter")
		d.sees("axes: fix batch=8", "no node needs the old size")
		d.press("enter")
		d.sees("f32 8×4")
		d.lacks("batch")
	}
}

// TestSeveralAxesAtOnce gives the axes of two inputs one name.
func TestSeveralAxesAtOnce(t *testing.T) {
	d := axesDesk(t, pinned, 120, 40)
	d.press("d", "space")
	d.sees("1 marked")
	d.press("j", "d")
	d.sees("symbol for 2 axes")
	d.press("enter")
	d.sees("axes: dynamic ids:0=batch, x:0=batch", "ids  i64  batch×6", "x    f32  batch×4×6")
	d.press("esc", "space", "space", "k", "space")
	if n := len(axesPaneOf(d).Marked); n != 0 {
		t.Errorf("%d axes are still marked", n)
	}
}

// TestAxesRefusals explains why something cannot be done to an axis.
func TestAxesRefusals(t *testing.T) {
	const text = "input x f32[n,4,?,2*n]\ninput any f32\ninput s f32[]\na: y = Relu(x)\noutput y f32[n,4,?,2*n]"
	for _, c := range []struct{ keys, want string }{
		{"6 l f", "the axis is 4 already"},
		{"6 l l f", "the axis has no symbol to fix"},
		{"6 l l l f", "the size of the axis is an expression"},
		{"6 h", "this is the first axis"},
		{"6 l l l l", "this is the last axis"},
		{"6 j d", "no axes are known for input any"},
		{"6 j j d", "no axes are known for input s"},
		{"6 G d", "this is a symbol, not an axis"},
		{"6 l s", "there is no symbol here"},
		{"j j j d", "this row is not an input or output of the model"},
		{"6 f", "a size is a number such as 8"},
		{"6 f x enter", "\"x\" is not a size"},
		{"6 d ctrl+u enter", "a symbol is a name"},
		{"A", "no change of axes has left a fixed size"},
	} {
		d := axesDesk(t, text, 140, 30)
		d.press(strings.Fields(c.keys)...)
		if s := d.screen(); !strings.Contains(s, c.want) {
			t.Errorf("%s does not say %q:\n%s", c.keys, c.want, s)
		}
	}
	d := axesDesk(t, "", 120, 24)
	d.press("6", "d")
	d.sees("the model has no inputs and no outputs")
}

// TestImpossibleChange shows the reason, and does not run the step.
func TestImpossibleChange(t *testing.T) {
	d := axesDesk(t, "input x f32[1,4]\ninput z f32[2,4]\na: y = Concat(x, z) axis=0\noutput y f32[3,4]", 120, 30)
	d.press("6", "space", "j", "d", "enter")
	d.sees("symbol \"batch\" cannot stand for axes of size 1 and 2")
	d.press("enter")
	d.sees("the change is not possible: ")
	if d.app.ws.Session.CanUndo() != "" {
		t.Error("it was done")
	}
}

// TestLatePreview drops the answer to a question that has changed.
func TestLatePreview(t *testing.T) {
	d := axesDesk(t, pinned, 120, 40)
	d.press("j", "d", "d").hold = true
	d.press("enter")
	late := d.waiting
	d.waiting, d.hold = nil, false
	d.press("r")
	for _, cmd := range late {
		d.perform(cmd)
	}
	d.sees("1 fixed size is left")
	d.lacks("is 1, repaired")
}

// TestSizesOfSymbols sets the size of a symbol, and removes it.
func TestSizesOfSymbols(t *testing.T) {
	d := axesDesk(t, "input x f32[batch,?]\na: y = Relu(x)\noutput y f32[batch,?]", 120, 40)
	d.press("d", "s").write("8").press("enter")
	d.sees("= 8")
	d.press("G")
	d.sees("symbol x:1")
	d.press("s").write("-1").press("enter")
	d.sees("\"-1\" is not a size")
	d.press("ctrl+u").write("5").press("enter")
	d.sees("= 5")
	d.press("s", "ctrl+u", "enter")
	d.lacks("= 5")
}

// TestNarrowAxes shows the axis at the cursor at any width.
func TestNarrowAxes(t *testing.T) {
	var dims []string
	for i := range 12 {
		dims = append(dims, fmt.Sprintf("axis_number_%d", i))
	}
	text := "input a_rather_long_name_of_an_input f32[" + strings.Join(dims, ",") + "]\na: y = Relu(a_rather_long_name_of_an_input)\noutput y"
	for _, size := range [][2]int{{40, 8}, {80, 24}, {200, 50}} {
		d := axesDesk(t, text, size[0], size[1])
		d.press("6")
		for i := range dims {
			checkSize(t, d, size)
			d.sees(dims[i])
			d.press("l")
		}
	}
}

// axesViews are screens of the work on axes, with the keys that lead there.
var axesViews = []struct{ name, keys string }{
	{"axes", "6 j l"},
	{"axes-prompt", "6 j d"},
	{"axes-pins", "6 j d enter r"},
	{"axes-repair", "6 j d enter"},
	{"axes-left", "6 j d enter r enter"},
	{"axes-fixed", "6 j d enter enter f 7 enter"},
	{"pins", "6 j d enter r enter A"},
}

func TestAxesViews(t *testing.T) {
	for _, v := range axesViews {
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := axesDesk(t, pinned, size[0], size[1])
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// TestLowScreens shows every part of the work on axes on the lowest of screens, with
// and without a line for marks.
func TestLowScreens(t *testing.T) {
	for _, keys := range []string{"6", "6 j d", "6 j d enter", "6 j d enter r", "P"} {
		for _, mark := range []string{"", "G space g "} {
			d := axesDesk(t, pinned, shell.MinWidth, shell.MinHeight)
			d.press(strings.Fields(mark + keys)...)
			checkSize(t, d, [2]int{shell.MinWidth, shell.MinHeight})
		}
	}
}
