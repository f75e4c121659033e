package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/tui/guide"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/calibrate"
	"lathe/session/quantization"
	"lathe/session/steps"
	"lathe/session/steps/quantize"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/precision"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// weighty is a model with weights of all kinds: one that two nodes share, one of a node without a
// name, one in a body; and with nodes that do not change.
const weighty = `
input c bool[]
input x f32[2,64]
output y f32[2,64]
output z f32[2,64]
init w f32[64,64] 0.5 -1 2 0.25 -0.75 1.5 1 2 3
init v f32[64,64] 0.1 0.2 -0.3 0.4
init u f32[64,64] 10 0.001
init bias f32[64] 1 2 3 4
graph then
init k f32[64,64] 1 2 3
inner: t = MatMul(m, k)
output t f32[2,64]
end
graph else
outer: e = Neg(m)
output e f32[2,64]
end
first: a = MatMul(x, w)
second: b = MatMul(a, w)
computed: p = MatMul(b, q)
turned: q = Transpose(a)
d = MatMul(b, v)
full: m = Gemm(d, u, bias)
y = Relu(m)
branch: z = If(c) then_branch=@then else_branch=@else
`

// spreadingStep is the real step, except for results that only a run gives.
type spreadingStep struct{ *quantize.Quantize }

// Spread returns numbers in the shape of a bell curve.
func (s spreadingStep) Spread(ctx context.Context, _ session.Env, _ *graphops.Model, value string) (*calibrate.Spread, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.Data == "":
		return nil, session.UsageError("what activations hold shows on samples: --data FILE")
	}
	h := &calibration.Histogram{Min: -2, Max: 6}
	h.Edges = []float64{-2}
	for i := range 400 {
		h.Edges = append(h.Edges, -2+float64(i+1)/50)
		h.Counts = append(h.Counts, int64(max(0, 10_000-(i-150)*(i-150)))+1)
	}
	return &calibrate.Spread{
		Value: value, Samples: 12, Histogram: h,
		Ranges: map[calibration.Method]calibration.Range{
			calibration.MethodMinMax: {Low: -2, High: 6}, calibration.MethodEntropy: {Low: -1, High: 3}, calibration.MethodPercentile: {Low: -2, High: 2.5},
		},
		Without: map[calibration.Method]string{calibration.MethodDistribution: "bins are too few"},
	}, nil
}

func quantizeOptions(m *graphops.Model) Options {
	o := testOptions(m)
	o.Env.Runtime = missingRuntime{}
	o.Steps = func() []session.Step {
		list := stepsBut("quantize dynamic")
		for _, mode := range quantization.Modes() {
			list = append(list, spreadingStep{&quantize.Quantize{Quantization: quantization.Quantization{Mode: mode}}})
		}
		return list
	}
	return o
}

// stepsBut returns the fake steps without one.
func stepsBut(name string) []session.Step {
	return slices.DeleteFunc(fakeSteps(), func(s session.Step) bool { return s.Name() == name })
}

func withQuantize(d *desk, model string) {
	*d = *newDeskWith(d.t, quantizeOptions(graphtest.Model(d.t, model)), d.app.w, d.app.h)
}

func quantizeDesk(t testing.TB, model string, w, h int) *desk {
	t.Helper()
	return newDeskWith(t, quantizeOptions(graphtest.Model(t, model)), w, h)
}

func inQuantize(keys ...string) func(*desk) {
	return func(d *desk) { withQuantize(d, weighty); d.press("Q"); d.press(keys...) }
}

func theTicks(d *desk) *precision.QuantizeDialog {
	return d.app.dialogs.Top().(*precision.QuantizeDialog)
}

func theSpread(d *desk) *precision.SpreadDialog { return d.app.dialogs.Top().(*precision.SpreadDialog) }

// toStatic switches to static mode with samples, which has activations to look at.
var toStatic = []string{"m", "d", "s", "enter"}

func init() {
	spread := inQuantize(append(slices.Clone(toStatic), "o")...)
	activation := func(d *desk) { spread(d); d.press("tab") }
	effects[shell.PlaceMain][precision.ActionQuantize] = effect{func(d *desk) { withQuantize(d, weighty) }, opens(precision.PlaceQuantize)}
	effects[precision.PlaceQuantize] = map[actions.Name]effect{
		shell.ActionToggle:   {inQuantize(), func(d *desk) bool { return theTicks(d).Ticks.Out == 1 }},
		"tick-all":           {inQuantize(), func(d *desk) bool { return theTicks(d).Ticks.On == 0 }},
		shell.ActionTake:     {func(d *desk) { d.t.Chdir(d.t.TempDir()); inQuantize()(d) }, func(d *desk) bool { return d.app.ws.Session.CanUndo() == "quantize dynamic" }},
		shell.ActionLookAt:   {inQuantize(), opens(precision.PlaceSpread)},
		shell.ActionAside:    {inQuantize(), func(d *desk) bool { return closed(d) && d.app.ws.Found.IsOn() }},
		"next-mode":          {inQuantize(), func(d *desk) bool { return theTicks(d).Settings.Step == "quantize static" }},
		"next-weight-type":   {inQuantize(), func(d *desk) bool { return theTicks(d).Settings.Weights == "uint8" }},
		"per-channel":        {inQuantize(), func(d *desk) bool { return theTicks(d).Settings.PerChannel }},
		precision.ActionData: {inQuantize(), opens(shell.PlacePath)},
		"measure-outputs": {func(d *desk) {
			withQuantize(d, weighty)
			with := d.app.ws.Options.Steps
			d.app.ws.Options.Steps = func() []session.Step { return append(with(), fakeSensitivity()) }
			d.press("Q")
		}, shows("quantize sensitivity: does quantize sensitivity")},
		"compare-modes": {func(d *desk) {
			withQuantize(d, weighty)
			with := d.app.ws.Options.Steps
			d.app.ws.Options.Steps = func() []session.Step { return append(with(), &fakeStep{name: "quantize compare"}) }
			d.press("Q")
		}, shows("quantize compare: does quantize compare")},
		shell.ActionSort:   {inQuantize(), shows("sorted by bytes saved")},
		shell.ActionCopy:   {inQuantize("space"), copied("lathe quantize dynamic model.onnx --exclude=first --out=model.int8.onnx")},
		shell.ActionEdit:   {inQuantize(), opens(forms.PlaceForm)},
		shell.ActionCancel: {func(d *desk) { withQuantize(d, weighty); d.hold = true; d.press("Q") }, shows("stopped; x starts again")},
		shell.ActionClose:  {inQuantize(), closed},
		shell.ActionHelp:   {inQuantize(), opens(guide.PlaceHelp)},
	}
	positions[precision.PlaceQuantize] = position{inQuantize("j", "j", "j"), func(d *desk) int { return theTicks(d).Rows.Cursor }}
	effects[precision.PlaceSpread] = map[actions.Name]effect{
		"next-value":            {spread, func(d *desk) bool { return theSpread(d).At == 1 }},
		"previous-value":        {spread, func(d *desk) bool { return theSpread(d).At == 2 }},
		"next-method":           {activation, shows("▸ entropy")},
		shell.ActionAccept:      {func(d *desk) { activation(d); d.press("m") }, shows("ranges by entropy")},
		"scale":                 {spread, shows("logarithmic")},
		tensors.ActionReadAgain: {func(d *desk) { spread(d); d.hold = true }, func(d *desk) bool { return theSpread(d).Picture() == nil }},
		shell.ActionCancel:      {func(d *desk) { inQuantize()(d); d.hold = true; d.press("o") }, shows("stopped; A reads it again")},
		shell.ActionClose:       {spread, opens(precision.PlaceQuantize)},
		shell.ActionHelp:        {spread, opens(guide.PlaceHelp)},
	}
}

// TestQuantizing goes the whole way: see what is saved, leave a node out, go to it and back, apply,
// undo.
func TestQuantizing(t *testing.T) {
	t.Chdir(t.TempDir())
	d := quantizeDesk(t, weighty, 140, 40)
	d.press("Q")
	whole := theTicks(d).Exact
	d.sees("4 of 4 nodes ticked, and 1 without a name", "[x] first", " x  d", "its second factor", "is in a body")
	for theTicks(d).At().Node().Name() != "full" {
		d.press("j")
	}
	d.press("space")
	if theTicks(d).Exact <= whole {
		t.Errorf("without a node %d bytes are projected, with it %d", theTicks(d).Exact, whole)
	}
	left := theTicks(d).At().Node().Name()
	d.sees("3 of 4 nodes ticked", "[ ] "+left)
	projected := theTicks(d).Exact
	d.press("v")
	if !closed(d) || d.selected() != left {
		t.Fatalf("v leads to %q", d.selected())
	}
	d.press("Q")
	if theTicks(d).Ticks.Out != 1 {
		t.Error("the dialog is another one")
	}
	d.press("enter")
	d.sees("quantize dynamic: ok")
	if opens(forms.PlaceResults)(d) {
		d.press("esc")
	}
	if got, want := lastCommand(d.app.ws), "lathe quantize dynamic model.onnx --exclude="+left; got != want {
		t.Errorf("the command is %q, want %q", got, want)
	}
	if size, err := graphops.SavedSize(d.app.ws.Model(), graphops.SaveOptions{}); err != nil || size != projected {
		t.Errorf("%d bytes were projected, the model has %d, %v", projected, size, err)
	}
	var recipe strings.Builder
	if _, err := d.app.ws.Session.Recipe().WriteTo(&recipe); err != nil || !strings.Contains(recipe.String(), "exclude: ["+left+"]") {
		t.Errorf("the recipe is %q, %v", recipe.String(), err)
	}
	d.press("Q")
	d.sees("the model is already quantized")
	d.press("esc", "u", "Q")
	if theTicks(d).Ticks.Out != 0 && theTicks(d).Base != d.app.ws.Model() {
		t.Error("the dialog is of another model")
	}
}

// TestProjection ticks nodes at random: the immediate estimate is close to the draft, and equal to
// it once every node is ticked again.
func TestProjection(t *testing.T) {
	d := quantizeDesk(t, weighty, 140, 40)
	d.press("Q")
	q := theTicks(d)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		d.press([]string{"j", "k", "space", "space", "A"}[rng.IntN(5)])
		about, exact := q.Ticks.After(), q.Exact
		if max(about-exact, exact-about) > 3000 && !partly(q.Ticks) {
			t.Errorf("about %d bytes, %d to the byte", about, exact)
		}
		on := 0
		for i := range q.Ticks.Found.Candidates {
			if q.Ticks.IsOn(i) && q.Ticks.Found.Called[i] >= 0 {
				on++
			}
		}
		if on != q.Ticks.On {
			t.Fatalf("%d are ticked, %d counted", on, q.Ticks.On)
		}
	}
	for q.Ticks.Out > 0 {
		d.press("A")
	}
	if q.Ticks.Lost != 0 || q.Exact != q.Ticks.Found.After {
		t.Errorf("with all ticked %d are lost, %d bytes projected, %d at first", q.Ticks.Lost, q.Exact, q.Ticks.Found.After)
	}
}

// partly reports whether a weight is read both by ticked nodes and by others, which need the
// original.
func partly(t *precision.QuantizeTicks) bool {
	readers := make([]int, len(t.Users))
	for _, list := range t.Found.Uses {
		for _, w := range list {
			readers[w]++
		}
	}
	for i, n := range t.Users {
		if n > 0 && n < readers[i] {
			return true
		}
	}
	return false
}

// TestLists names whichever nodes are fewer; nodes without a name stay.
func TestLists(t *testing.T) {
	of := func(nodes ...string) *precision.QuantizeTicks {
		text := "input x f32[1,2]\ninit w f32[2,2] 1 2\n"
		for i, n := range nodes {
			if n != "" {
				n += ": "
			}
			text += fmt.Sprintf("%sy%d = MatMul(x, w)\noutput y%d f32[1,2]\n", n, i, i)
		}
		draft, err := quant.DynamicDraft(t.Context(), graphtest.Model(t, text), quant.DefaultDynamicOptions(), false)
		if err != nil {
			t.Fatal(err)
		}
		return precision.NewQuantizeTicks(precision.NewQuantizeFound(nil, draft), nil)
	}
	for _, c := range []struct {
		nodes            []string
		off              []int
		include, exclude string
	}{
		{[]string{"a", "b", "c"}, nil, "[]", "[]"},
		{[]string{"a", "b", "c"}, []int{1}, "[]", "[b]"},
		{[]string{"a", "b", "c"}, []int{0, 2}, "[b]", "[]"},
		{[]string{"a", "b", "c"}, []int{0, 1, 2}, "[]", "[a b c]"},
		{[]string{"a", "b", "c", ""}, []int{0, 2}, "[]", "[a c]"},
		{[]string{"a", "a", "b"}, []int{0}, "[]", "[a]"},
	} {
		ticks := of(c.nodes...)
		for _, i := range c.off {
			ticks.Toggle(i)
		}
		include, exclude := ticks.Lists()
		if fmt.Sprint(include) != c.include || fmt.Sprint(exclude) != c.exclude {
			t.Errorf("%q without %v: include %v, exclude %v", c.nodes, c.off, include, exclude)
		}
		if saved := ticks.Lost == 0; saved == (len(c.off) == len(c.nodes)) {
			t.Errorf("%q without %v: %d bytes lost", c.nodes, c.off, ticks.Lost)
		}
	}
}

// TestTicksOutlastModes changes the mode and the types: what is left out stays left out, even a
// node that another mode does not know.
func TestTicksOutlastModes(t *testing.T) {
	d := quantizeDesk(t, strings.Replace(weighty, "\ny = Relu", "\nlast: y = Relu", 1), 140, 40)
	d.press("Q", "space")
	left := theTicks(d).At().Node().Name()
	d.press("m")
	if q := theTicks(d); q.Settings.Step != "quantize static" || q.Ticks.Out != 1 {
		t.Errorf("in mode %s %d are left out", q.Settings.Step, q.Ticks.Out)
	}
	i := slices.IndexFunc(theTicks(d).Ticks.Found.Candidates, func(c quant.Candidate) bool { return c.Node().OpType() == "Relu" })
	if i < 0 {
		t.Fatal("static does not list the Relu, which dynamic does not know")
	}
	for theTicks(d).Here() != i {
		d.press("j")
	}
	d.press("space")
	for range len(quantization.Modes()) - 1 {
		d.press("m")
	}
	q := theTicks(d)
	if q.Settings.Step != "quantize dynamic" || !slices.Equal(q.Exclude, []string{left}) || len(q.Ticks.Absent)+q.Ticks.Out == 0 {
		t.Errorf("back in mode %s %q are left out", q.Settings.Step, q.Exclude)
	}
	d.press("esc", "Q")
	if q := theTicks(d); !slices.Equal(q.Exclude, []string{left}) {
		t.Errorf("after closing %q are left out", q.Exclude)
	}
	for range len(q.WeightTypes()) {
		d.press("t")
	}
	if q := theTicks(d); q.Settings.Weights != "int8" || q.Err != nil {
		t.Errorf("%q, %v", q.Settings.Weights, q.Err)
	}
}

// TestQuantizeRefuses explains why something is not possible.
func TestQuantizeRefuses(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"G space", "it is not quantized: it "},
		{"A enter", ""},
		{"m enter", "static needs samples"},
		{"m m t", "quantize float16 has one type of weights"},
		{"m m c", "quantize float16 has no scales"},
		{"x", "all weights are measured"},
	} {
		d := quantizeDesk(t, weighty, 140, 40)
		d.t.Chdir(t.TempDir())
		d.press("Q").press(strings.Fields(c.keys)...)
		d.sees(c.want)
	}
	d := quantizeDesk(t, "input x f32[2]\nfirst: y = Relu(x)\noutput y f32[2]", 120, 40)
	d.press("Q")
	d.sees("nothing to quantize")
	d.press("enter")
	d.sees("nothing to quantize")
	d.press("space", "o", "v", "A")
	d.sees("there is no node")
	d = quantizeDesk(t, "input x f32[1,2]\ninit w f32[2,2] 1 2\ny = MatMul(x, w)\noutput y f32[1,2]", 120, 40)
	d.press("Q", "space")
	d.sees("the node has no name, so it cannot be left out")
}

// TestQuantizeWhileAsked shows immediately what is known, drops answers for other ticks, and can be
// stopped.
func TestQuantizeWhileAsked(t *testing.T) {
	d := quantizeDesk(t, weighty, 140, 40)
	d.press("Q")
	was := theTicks(d).Exact
	d.hold = true
	d.press("space")
	d.sees("→ about ")
	d.press("enter")
	d.sees("the preview is still running")
	q := theTicks(d)
	late := d.waiting[len(d.waiting)-1]()
	d.press("space")
	d.send(late)
	if q.Exact != was {
		t.Error("an answer to other ticks is taken")
	}
	d.waiting, d.hold = nil, false
	d.press("space", "space")
	if q.Exact != was || q.Question.IsOpen() {
		t.Errorf("%d bytes in the end, want %d", q.Exact, was)
	}
	d.hold = true
	d.press("space", "ctrl+c")
	d.sees("→ about ", "stopped; x starts again")
	d.press("enter")
	d.sees("the preview was stopped; x starts it again")
	d.waiting, d.hold = nil, false
	if d.press("x"); q.Stopped || d.quit || q.Exact == was {
		t.Errorf("stopped %v, ended %v, %d bytes", q.Stopped, d.quit, q.Exact)
	}
	d = quantizeDesk(t, weighty, 140, 40)
	d.hold = true
	d.press("Q", "x")
	d.sees("stopped; x starts again")
	d.waiting, d.hold = nil, false
	d.press("x")
	d.sees("4 of 4 nodes ticked")
}

// TestMeasuring shows results for weights as they arrive, can be stopped, and continues.
func TestMeasuring(t *testing.T) {
	d := quantizeDesk(t, weighty, 140, 40)
	d.press("Q")
	q := theTicks(d)
	if q.Measured != len(q.Ticks.Found.Weights) || q.Reading.IsOpen() {
		t.Fatalf("%d of %d are measured", q.Measured, len(q.Ticks.Found.Weights))
	}
	d.sees("max error")
	q.Known, q.Measured = map[*quant.DraftWeight]*precision.Fidelity{}, 0
	d.hold = true
	d.press("x")
	d.sees("measuring weights: 0 of 3")
	late := d.waiting[len(d.waiting)-1]()
	d.press("ctrl+c")
	d.sees("x reads ", "to measure the error of each weight")
	d.send(late)
	if q.Measured != 0 {
		t.Error("what was stopped is taken over")
	}
	d.waiting, d.hold = nil, false
	d.press("x")
	if q.Measured != 3 || d.quit {
		t.Errorf("%d are measured", q.Measured)
	}
	d = quantizeDesk(t, strings.Replace(weighty, "init u f32[64,64] 10 0.001", "init u f32[64,64] nan", 1), 140, 40)
	d.press("Q", "j", "j", "j", "j")
	d.sees("fails", "expected a finite number")
}

// TestSpread goes through what a node reads and makes.
func TestSpread(t *testing.T) {
	d := quantizeDesk(t, weighty, 100, 30)
	d.press("Q").press(toStatic...).press("o")
	d.sees("weight w, 1 of 3", "4,096 numbers", "▸ i8", "0 % saturated", "SNR ")
	d.press("m")
	d.sees("a weight has only one range")
	d.press("enter")
	d.sees("a calibration method can be chosen only for activations")
	d.press("tab")
	d.sees("activation x, 2 of 3", "in 12 samples", "▸ minmax", "0 % saturated", "distribution  none: bins are too few")
	d.press("m")
	d.sees("▸ entropy", "% saturated")
	d.press("enter")
	if !opens(precision.PlaceQuantize)(d) {
		t.Fatal("the method is not taken")
	}
	d.sees("ranges by entropy", "samples s")
	d.press("y")
	if !strings.Contains(d.clipboard, "--calibration=entropy") || !strings.Contains(d.clipboard, "--data=s") {
		t.Errorf("copied: %q", d.clipboard)
	}
	d.press("d", "backspace", "enter", "o", "tab")
	d.sees("what activations hold shows on samples")
	d.press("esc", "m", "o")
	d.sees("weight w, 1 of 1")
}

// TestQuantizeSaid checks what a screen reader says about the position.
func TestQuantizeSaid(t *testing.T) {
	d := quantizeDesk(t, weighty, 80, 24)
	d.press("Q")
	for _, want := range []string{"4 of 4 nodes ticked", "dynamic, int8", "ticked, MatMul first, w becomes i8, 16.0 KiB → 4.0 KiB", "read by 2 nodes", "SNR ", "1 of "} {
		if said := theTicks(d).Said(); !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
	if d.press("space"); !strings.Contains(theTicks(d).Said(), "not ticked, MatMul first") {
		t.Errorf("said: %q", theTicks(d).Said())
	}
	d.press(toStatic...).press("o", "tab")
	for _, want := range []string{"activation x, 2 of 3", "numbers from -2 to 6, most of them near ", "▸ minmax", "0 % saturated"} {
		if said := theSpread(d).Said(); !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}

// TestClicksOnCandidates ticks with a click on the box, selects with a click on the line, and opens
// with another.
func TestClicksOnCandidates(t *testing.T) {
	d := quantizeDesk(t, weighty, 120, 40)
	d.press("Q")
	q := theTicks(d)
	r := shell.Inner(q, d.app.screen())
	y := r.Y + len(q.Head(q.W)) + 1
	d.click(r.X+1, y)
	if q.Ticks.Out != 1 || q.Rows.Cursor != 1 {
		t.Errorf("%d are left out, the cursor is at %d", q.Ticks.Out, q.Rows.Cursor)
	}
	d.press("g").click(r.X+20, y)
	if q.Rows.Cursor != 1 {
		t.Error("a click does not select")
	}
	if d.click(r.X+20, y); !opens(precision.PlaceSpread)(d) {
		t.Error("a click on the line does not look")
	}
	d.press("esc").press(toStatic...).press("o", "tab")
	s := theSpread(d)
	r = shell.Inner(s, d.app.screen())
	d.click(r.X+4, r.Y+s.H-len(s.Legend())+1)
	if s.DrawnMethod() != "entropy" {
		t.Errorf("a click on a range draws %s", s.DrawnMethod())
	}
}

// TestRandomKeysOnTicks presses random keys of the two dialogs.
func TestRandomKeysOnTicks(t *testing.T) {
	t.Chdir(t.TempDir())
	keys := []string{"j", "k", "G", "g", "space", "space", "pgdown", "ctrl+u"}
	for _, list := range [][]actions.Action{precision.QuantizeActions(), precision.SpreadActions()} {
		for _, b := range list {
			keys = append(keys, b.Keys...)
		}
	}
	rng := rand.New(rand.NewPCG(3, 9))
	d := quantizeDesk(t, weighty, 100, 30)
	var pressed []string
	for n := range 1200 {
		switch top := d.app.dialogs.Top().(type) {
		case *precision.QuantizeDialog, *precision.SpreadDialog:
		case nil:
			d.press("Q")
		default:
			_ = top
			d.press("esc")
		}
		if rng.IntN(40) == 0 {
			d.resize(1+rng.IntN(200), 1+rng.IntN(60))
		}
		if d.hold = rng.IntN(6) == 0; !d.hold {
			d.waiting = nil
		}
		k := keys[rng.IntN(len(keys))]
		pressed = append(pressed, k)
		d.press(k)
		if n%4 == 0 {
			checkSize(t, d, [2]int{d.app.w, d.app.h})
			if first, again := d.app.View(), d.app.View(); first.Content != again.Content {
				t.Error("drawing changes what is drawn")
			}
		}
		if t.Failed() {
			t.Fatal(pressed[max(0, len(pressed)-30):])
		}
	}
}

// TestHostileCandidates draws nodes and weights whose names could harm a terminal.
func TestHostileCandidates(t *testing.T) {
	for payloads := range slices.Chunk(graphtest.Hostile, hostileTogether) {
		d := quantizeDesk(t, weighty, 120, 40)
		d.press("Q")
		q := theTicks(d)
		name := strings.Join(payloads, "")
		q.Ticks.Found.Weights[0].Name = name
		q.Ticks.Found.Candidates[len(q.Ticks.Found.Candidates)-1].Reason = name
		q.Settings.Data = name
		q.Err = fmt.Errorf("%s", name)
		checkSize(t, d, [2]int{120, 40})
		d.press("o")
		checkSize(t, d, [2]int{120, 40})
		p := &precision.SpreadPicture{Err: fmt.Errorf("%s", name)}
		theSpread(d).Pictures[0] = p
		checkSize(t, d, [2]int{120, 40})
		for _, line := range strings.Split(q.Said()+theSpread(d).Said(), "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 || r == 0x7f || r == 0x202e }) {
				t.Errorf("said: %q", line)
			}
		}
	}
}

// TestCandidatesElsewhere goes by name to nodes of the model when the candidates belong to a model
// derived from it, and says which candidates the model does not have.
func TestCandidatesElsewhere(t *testing.T) {
	const conv = "input x f32[1,2,4,4]\ninit w f32[2,2,1,1] 1 2 3 4\ninit s f32[2] 2\ninit z f32[2] 0\ninit v f32[2] 1\n" +
		"first: a = Identity(x)\nc: b = Conv(a, w)\nn: y = BatchNormalization(b, s, z, z, v)\noutput y f32[1,2,4,4]"
	m := graphtest.Model(t, conv)
	draft, err := (&quantize.Quantize{Quantization: quantization.Quantization{Mode: "static"}}).Draft(t.Context(), m, false)
	if err != nil || !draft.Elsewhere || len(draft.Candidates) != 1 {
		t.Fatalf("%+v, %v", draft, err)
	}
	f := precision.NewQuantizeFound(m, draft)
	c := &draft.Candidates[0]
	if p, i, ok := f.Where(c); !ok || p != m.Places()[0] || i != 1 || c.Index != 0 {
		t.Errorf("the Conv is node %d of %v, %v", i, p, ok)
	}
	other := precision.NewQuantizeFound(graphtest.Model(t, strings.ReplaceAll(conv, "c: ", "d: ")), draft)
	if _, _, ok := other.Where(c); ok {
		t.Error("a node is found by another name")
	}
}

// TestManyCandidates ticks and draws in a model of 200,000 nodes: no key waits for background work,
// or goes through all nodes more than once.
func TestManyCandidates(t *testing.T) {
	m := graphtest.Model(t, "input x f32[1,2]\ninit w f32[2,2] 1 2\nfc: y = MatMul(x, w)\noutput y f32[1,2]")
	d := newDeskWith(t, quantizeOptions(m), 200, 50)
	d.press("Q")
	q := theTicks(d)
	large := manyCandidates(m)
	f := precision.NewQuantizeFound(m, large)
	ticks := precision.NewQuantizeTicks(f, nil)
	q.Ticks, q.Known, q.Measured = ticks, map[*quant.DraftWeight]*precision.Fidelity{}, 0
	q.SetLines(f.Arranged(precision.QuantizeByBytes, nil, nil))
	d.hold = true
	for _, k := range []string{"space", "A", "A", "G", "s", "ctrl+u"} {
		began := time.Now()
		d.press(k)
		d.app.View()
		took := time.Since(began)
		t.Logf("%s: %v", k, took)
		if took > time.Second { // which guards against quadratic work, not a busy machine
			t.Errorf("%s takes %v", k, took)
		}
	}
	allocs := testing.AllocsPerRun(20, func() { d.app.Perform(q, "half-page-up"); q.View(true) })
	if allocs > 4000 {
		t.Errorf("a half page makes %.0f allocations: more than for the lines that show", allocs)
	}
}

// manyCandidates returns 200,000 candidates with a name and a weight each, all for the same node.
func manyCandidates(m *graphops.Model) *quant.Draft {
	var names []*graphops.Node
	for i := range many {
		names = append(names, graphops.NewNode(graphops.NodeSpec{Op: "MatMul", Name: fmt.Sprintf("n%d", i), Inputs: []string{"x", "w"}, Outputs: []string{fmt.Sprintf("y%d", i)}}))
	}
	e := graphops.Edit(m)
	e.Nodes = names
	p := e.Model().Places()[0]
	out := &quant.Draft{Before: 1 << 30, After: 1 << 28}
	for i := range many {
		out.Candidates = append(out.Candidates, quant.Candidate{Place: p, Index: i, Weights: []*quant.DraftWeight{{Name: "w", Before: 16, After: 9}}})
	}
	return out
}

var quantizeViews = []struct{ name, keys string }{
	{"quantize", ""},
	{"quantize-unticked", "space j j"},
	{"quantize-static", "m c t t t"},
	{"quantize-float16", "m m s s"},
	{"quantize-aside", "j v"},
	{"quantize-weight", "o"},
	{"quantize-activation", "m d s enter o tab m"},
	{"quantize-logarithmic", "m d s enter o tab m m z"},
	{"quantize-form", "space e"},
}

func TestQuantizeViews(t *testing.T) {
	for _, v := range quantizeViews {
		for _, size := range [][2]int{{80, 24}, {200, 50}, {shell.MinWidth, shell.MinHeight}} {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				d := quantizeDesk(t, weighty, size[0], size[1])
				d.press("Q")
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// TestSurvivalInList: how well the weights of nodes survive is a column of the list once the dialog
// has measured it, and a column of the groups. It stays when the dialog is closed, and belongs to the
// model that it is about.
func TestSurvivalInList(t *testing.T) {
	d := quantizeDesk(t, weighty, 200, 40)
	d.lacks(" snr")
	d.press("Q").sees("weight SNR")
	worst := theTicks(d)
	if worst.Measured != len(worst.Ticks.Found.Weights) {
		t.Fatal("not all weights are measured")
	}
	d.press("esc").sees("snr", "46.2 dB")
	d.press("0").sees("snr")
	d.press("2").column("snr", "s")
	if got := d.shownNames(); !strings.HasPrefix(got, "first second → d full c x") {
		t.Errorf("by snr the worst should be on top and what has none at the end, but it is %q", got)
	}
	d.column("snr", "s")
	if got := d.shownNames(); strings.HasPrefix(got, "c ") {
		t.Errorf("in the other order what has no ratio is on top: %q", got)
	}
	d.column("snr", "space") // the user hides it, and it stays hidden
	d.press("Q", "c", "esc")
	if workspace.ShowsColumn(d.app.ws, graph.SNRColumn) {
		t.Error("a hidden column came back")
	}
	d.column("snr", "space")
	t.Chdir(t.TempDir())
	d.press("Q", "enter").press("esc").lacks(" dB ")
	d.press("u").sees(" dB ")
}

// fakeSensitivity measures nothing.
func fakeSensitivity() session.Step {
	mode := new(string)
	return &fakeStep{name: "quantize sensitivity", options: []session.Option{session.Choice(mode, "mode", "which", "dynamic", "static")}}
}

// TestOutputsAreMeasured: the errors in the list are said to be those of weights, with the key that measures
// what each node costs at the outputs. The modes of the dialog are those that it can draft.
func TestOutputsAreMeasured(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 160, 30)
	effects[precision.PlaceQuantize]["measure-outputs"].setup(d)
	d.sees("weight SNR", "errors are those of the weights, and S measures what each node costs at the outputs")
	for range 8 {
		d.press("m")
		if got := theTicks(d).Settings.Step; got == "quantize sensitivity" {
			t.Fatal("a mode of the dialog has no draft")
		}
	}
	for theTicks(d).Settings.Step != "quantize static" {
		d.press("m")
	}
	d.press("S")
	d.sees("quantize sensitivity: does quantize sensitivity")
	if fl := theForm(d).Fields[0]; len(fl.Values()) != 1 || fl.Values()[0] != "static" {
		t.Errorf("the mode is %q", fl.Values())
	}
}

// TestCostsInTheDialog: what was measured at the outputs is a column of the dialog below the form that
// measured it, and an order of its list.
func TestCostsInTheDialog(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 160, 30)
	effects[precision.PlaceQuantize]["measure-outputs"].setup(d)
	d.press("s", "s", "s")
	d.sees("sorted as in the graph")
	d.lacks("SNR at outputs")
	m, c := d.app.ws.Model(), theCandidate(d, "second")
	d.press("S")
	costs := graph.NewNodeSignals("of the outputs if only this node is quantized, dynamic")
	costs.AtOutputs = true
	costs.Add(m.Places()[0], c.Index, 12.5)
	d.perform(workspace.TakeSignals(d.app.ws, m, costs))
	d.press("esc")
	d.sees("SNR at outputs", "12.5", "the last column is the SNR of the outputs if only this node is quantized, dynamic")
	d.press("s", "s", "s")
	d.sees("sorted by SNR at the outputs, worst on top")
	if got := theTicks(d).At(); got != c {
		t.Errorf("the first is %v", got)
	}
	d.press("s")
	d.sees("sorted as in the graph")
}

// theCandidate returns the candidate whose node has a name.
func theCandidate(d *desk, name string) *quant.Candidate {
	d.t.Helper()
	all := theTicks(d).Ticks.Found.Candidates
	i := slices.IndexFunc(all, func(c quant.Candidate) bool { return c.Node().Name() == name })
	if i < 0 {
		d.t.Fatalf("no candidate %s", name)
	}
	return &all[i]
}

// TestModesOfTheDialog: the dialog offers the modes that can say in advance what they change, of all
// steps that there are. Nodes without a name cannot be unticked.
func TestModesOfTheDialog(t *testing.T) {
	o := testOptions(graphtest.Model(t, "input x f32[4,64]\ninit w f32[64,64] 0.5\ny = MatMul(x, w)\noutput y f32[4,64]"))
	o.Steps, o.Env.Runtime = steps.All, missingRuntime{}
	d := newDeskWith(t, o, 120, 40)
	d.press("Q")
	d.sees("1 node without a name, which cannot be unticked")
	for range quantization.Modes() {
		d.press("m")
		d.lacks("cannot say in advance")
	}
}
