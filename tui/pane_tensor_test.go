package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/tui/cells"
	"lathe/tui/config"
	"lathe/tui/list"
)

// tensors is a model with tensors of all kinds.
const tensors = `
input x f32[1,4]
init w f32[4,6] 1 -2 3 0 0.5 -0.25 7
init bias f32[6] 1 2 3 4 5 6
init twin f32[6] 1 2 3 4 5 6
init kernel f32[8,3,4,5] 1 2 3 -4 5 6 0 -7 8 9 11
init none f32[0,3]
init one f32[] 5
init words str[3] aa b aa
init odd f32[5] nan inf -inf 0 1
init nibbles i4[2,3] -8 7 1 2 3 4
init tiny f8e4m3fn[4] 1 2 -448 0
init flags bool[4] 1 0 0 1
init big i64[2] 9223372036854775807 -9223372036854775808
init never f32[2] nan nan
sparse sp f32[4] 3 at 1
gemm: h = Gemm(x, w, bias)
conv: c = Conv(h, kernel)
misc: m = Foo(none, one, words, odd, nibbles, tiny, pairs, flags, big, never, sp)
const: k = Constant() value={f32[2,2] 1 2 3 4}
ints: s = Constant() value_ints=[3,1,2]
user: u = Bar(k, s, twin)
holder: v = Baz(x) table={i32[3] 7 8 9}
output u f32
`

// tensorModel is that model, with a tensor of complex numbers.
func tensorModel(t testing.TB) *graphops.Model {
	t.Helper()
	e := graphops.Edit(graphtest.Model(t, tensors))
	pairs := tensor.FromSlice([]complex64{1 + 2i, 3 + 4i}, 2)
	e.Initializers = append(e.Initializers, graphops.NewTensorOf("pairs", pairs))
	return e.Model()
}

func tensorDesk(t testing.TB, w, h int, more ...func(*Options)) *desk {
	t.Helper()
	o := testOptions(tensorModel(t))
	for _, set := range more {
		set(&o)
	}
	return newDeskWith(t, o, w, h)
}

func tensorOf(d *desk) *tensorPane { return d.paneOf(placeTensor).(*tensorPane) }

// toTensor selects a row by name and looks at its tensors.
func toTensor(name string) func(*desk) {
	return func(d *desk) {
		o := d.app.ws.outline
		for row := range o.len() {
			if o.name(row) == name {
				d.app.ws.goTo(row)
			}
		}
		d.app.look(placeTensor)
		d.send(nudge{})
	}
}

// nudge is a message that nobody knows: panes are fitted to what has changed.
type nudge struct{}

// tensorLooks are the views that the golden files hold: the row, and the keys.
var tensorLooks = []struct{ name, row, keys string }{
	{"statistics", "gemm", ""},
	{"histogram", "gemm", "H"},
	{"histogram-log", "conv", "H z"},
	{"magnitudes", "conv", "H b"},
	{"heat-map", "conv", "T"},
	{"heat-means", "gemm", "T b"},
	{"elements", "gemm", "E l j"},
	{"slices", "conv", "E ; . . r"},
	{"equal", "gemm", "D j j"},
	{"strings", "misc", "J"},
	{"index", "conv", "i 1 , 2"},
	{"none", "x", ""},
}

func TestTensorViews(t *testing.T) {
	for _, v := range tensorLooks {
		for _, size := range append(sizes, [2]int{200, 60}) {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := tensorDesk(t, size[0], size[1])
				toTensor(v.row)(d)
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// TestTensorThemes holds the pictures with their colours, without, and in ASCII.
func TestTensorThemes(t *testing.T) {
	for _, theme := range []struct {
		name string
		set  func(*Options)
	}{
		{"dark", func(*Options) {}},
		{"light", func(o *Options) { o.Background = BackgroundLight }},
		{"plain", func(o *Options) { o.NoColor = true }},
		{"ascii", func(o *Options) { o.Settings.ASCII = true }},
	} {
		for _, key := range []string{"H", "T", "E", "D"} {
			t.Run(theme.name+"/"+key, func(t *testing.T) {
				d := tensorDesk(t, 120, 30, theme.set)
				toTensor("conv")(d)
				d.press(key)
				golden.RequireEqual(t, d.app.View().Content)
			})
		}
	}
}

// TestTensorASCII looks for characters that have no likeness.
func TestTensorASCII(t *testing.T) {
	for _, v := range tensorLooks {
		d := tensorDesk(t, 120, 40, func(o *Options) { o.Settings.ASCII = true })
		toTensor(v.row)(d)
		d.press(strings.Fields(v.keys)...)
		if drawn := cells.ASCII(strings.Join(tensorOf(d).view(true), "\n")); strings.Contains(drawn, "?") {
			t.Errorf("%s: a character has no likeness in ASCII:\n%s", v.name, drawn)
		}
	}
}

// TestEveryKindOfTensor looks into each tensor in each view.
func TestEveryKindOfTensor(t *testing.T) {
	d := tensorDesk(t, 130, 50)
	toTensor("misc")(d)
	p := tensorOf(d)
	want := map[string][]string{
		"none":    {"f32 0×3", "no elements", "no elements", "no elements"},
		"one":     {"min          5", "numbers, ", "5", "[] = 5"},
		"words":   {`2            "aa"`, "strings by their bytes", "strings have no heat map", `"aa"`},
		"odd":     {"infinite     2  40.0 %  1 of them negative", "numbers, ", "none finite", "-Inf"},
		"nibbles": {"min          -8", "numbers, ", "each element a cell", "-8"},
		"tiny":    {"min          -448", "numbers, ", "448", "-448"},
		"pairs":   {"real and imaginary", "numbers", "5", "1+2i"},
		"flags":   {"true         2  50.0 %", "numbers", "each element", "false"},
		"big":     {"max          9223372036854775807", "numbers", "magnitude", "-9223372036854775808"},
		"never":   {"finite       none", "no number is finite", "none finite", "NaN"},
		"sp":      {"sparse 4, 1 of 4 elements stored", "numbers", "3", "[0] = 3"},
	}
	for i := range p.constants {
		d.press("S")
		p.choose(i)
		d.send(nudge{})
		c := p.current()
		words := want[c.name]
		if strings.Contains(c.role, "indices") {
			words = []string{"i64", "", "", "[0] = 1"}
		}
		if words == nil {
			t.Errorf("nothing says what %s looks like", c.name)
		}
		for k, key := range []string{"S", "H", "T", "E"} {
			d.press(key)
			d.sees(words[k])
			if d.hasControls() {
				t.Errorf("%s: %q", c.name, d.unprintable())
			}
		}
	}
}

// TestTensorOfRow tells which tensors a row has.
func TestTensorOfRow(t *testing.T) {
	for row, want := range map[string]string{
		"gemm":   "input 1 w, input 2 bias",
		"user":   "input 0, a Constant k, input 1, a Constant s, input 2 twin",
		"const":  "attribute value ",
		"ints":   "attribute value_ints ",
		"holder": "attribute table ",
		"x":      "",
	} {
		d := tensorDesk(t, 120, 40)
		toTensor(row)(d)
		var got []string
		for _, c := range tensorOf(d).constants {
			got = append(got, c.role+" "+c.name)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s has %q, want %q", row, s, want)
		}
	}
}

// TestTensorFromAround looks at a constant that a body takes from the graph
// around it.
func TestTensorFromAround(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, `
init w f32[2] 1 2
init yes bool[] 1
graph one
inner: t = Neg(w)
output t f32[2]
end
choose: chosen = If(yes) then_branch=@one else_branch=@one
output chosen f32[2]
`), 120, 40)
	toTensor("choose")(d)
	d.sees("input 0  yes", "read by its bodies  w")
	d.press("tab")
	d.app.look(placeNodes)
	d.press("o", "enter")
	toTensor("inner")(d)
	d.sees("w  input 0", "f32 2, 2 elements, 8 B")
}

// TestTensorRestsFirst moves over rows: nothing is gathered or read before the
// selection rests, and what the pane shows stays until then.
func TestTensorRestsFirst(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	d.app.look(placeNodes)
	d.hold = true
	d.press("j")
	d.sees("input 1  w", "max          7")
	first := d.waiting
	d.waiting = nil
	d.press("j")
	last := d.waiting
	for _, cmd := range first { // a stale answer, and what follows from it
		if cmd != nil {
			d.send(cmd())
		}
	}
	d.sees("input 1  w")
	d.waiting, d.hold = last, false
	d.resume()
	d.sees("›input 3  odd")
	if p := tensorOf(d); p.at != d.app.ws.here() {
		t.Errorf("the pane is at row %d, the selection at %d", p.at.row, d.app.ws.row())
	}
}

// TestHiddenTensorReadsNothing keeps the pane out of sight.
func TestHiddenTensorReadsNothing(t *testing.T) {
	d := tensorDesk(t, 80, 24)
	d.press("j", "j", "j")
	if p := tensorOf(d); p.at.place != nil || len(p.passes.kept) > 0 {
		t.Error("a pane that does not show has looked for tensors")
	}
}

// gate stands in the middle of a tensor: it tells when reading begins, and lets
// it go on once it is open.
type gate struct {
	begun  chan struct{}
	opened chan struct{}
	open   func()
}

// isReached reports whether reading has begun since it was asked last.
func (g gate) isReached() bool {
	select {
	case <-g.begun:
		return true
	default:
		return false
	}
}

// slowModel is a model with a weight behind a gate.
func slowModel(t testing.TB) (*graphops.Model, gate) {
	t.Helper()
	g := gate{begun: make(chan struct{}, 100), opened: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.opened) })
	const n = 1 << 20
	data := graphops.TransformPayload(4*n, func(w io.Writer) error {
		g.begun <- struct{}{}
		chunk := make([]byte, 1<<16)
		for i := 0; i < 4*n; i += len(chunk) {
			if i == 4*n/2 {
				<-g.opened
			}
			if _, err := w.Write(chunk); err != nil {
				return err
			}
		}
		return nil
	})
	e := graphops.Edit(tensorModel(t))
	e.Initializers = append(e.Initializers, graphops.NewTensor("slow", tensor.F32, []int64{1024, 1024}, data))
	e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Foo", Name: "heavy", Inputs: []string{"slow"}, Outputs: []string{"z"}}))
	return e.Model(), g
}

// bench is a workbench whose commands run beside it, and a gate in its model.
type bench struct{ *live }

func newBench(t *testing.T, m *graphops.Model, g gate) bench {
	t.Helper()
	o := testOptions(m)
	o.Now = time.Now
	b := bench{newLive(t, o)}
	t.Cleanup(g.open)
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.until("the graph", func() bool { return b.app.ws.wiring != nil })
	b.app.look(placeTensor)
	return b
}

func (b bench) screen() string { return ansi.Strip(b.app.View().Content) }

func (b bench) shows(words string) func() bool {
	return func() bool { return strings.Contains(b.screen(), words) }
}

func (b bench) sees(want ...string) {
	b.t.Helper()
	for _, w := range want {
		if !b.shows(w)() {
			b.t.Errorf("the screen does not show %q:\n%s", w, b.screen())
		}
	}
}

// choose selects a row by name.
func (b bench) choose(name string) {
	o := b.app.ws.outline
	for row := range o.len() {
		if o.name(row) == name {
			b.app.ws.goTo(row)
		}
	}
	b.send(nudge{})
}

func (b bench) pane() *tensorPane { return (&desk{app: b.app}).paneOf(placeTensor).(*tensorPane) }

// TestTensorProgress reads a slow tensor: how far it is shows, Esc stops it, and
// it can be read again.
func TestTensorProgress(t *testing.T) {
	m, g := slowModel(t)
	b := newBench(t, m, g)
	b.choose("heavy")
	b.until("the pass", g.isReached)
	b.until("progress", b.shows(" of 4.0 MiB"))
	b.sees("Esc stops it")
	b.press("esc")
	b.sees("stopped; what was read is dropped", "A reads it again")
	if b.app.focused().panel.place != placeTensor {
		t.Error("Esc has left the pane")
	}
	g.open()
	b.press("A")
	b.until("the answer", b.shows("numbers      1,048,576"))
}

// TestTensorMovesOn leaves a tensor that is being read: the next one is read, and
// the answer for the first is dropped.
func TestTensorMovesOn(t *testing.T) {
	m, g := slowModel(t)
	b := newBench(t, m, g)
	b.choose("heavy")
	b.until("the pass", g.isReached)
	r := b.pane().passes.running
	b.choose("conv")
	b.until("the next tensor", b.shows("kernel"))
	b.until("its numbers", b.shows("numbers      480"))
	g.open()
	<-r.ended
	b.until("quiet", func() bool { return b.pane().passes.running == nil })
	b.send(passedMsg{pass: r, value: tensor.Profile{}}) // the answer that nobody waits for
	b.sees("numbers      480")
	if b.pane().passes.answer(r.inquiry) != nil {
		t.Error("a stale answer is kept")
	}
}

// TestTensorWhileScanning moves about while the whole model is scanned.
func TestTensorWhileScanning(t *testing.T) {
	m, g := slowModel(t)
	e := graphops.Edit(m)
	slow := m.Graph().Initializers()[len(m.Graph().Initializers())-1]
	e.Initializers = append(e.Initializers, slow.WithName("slow2"))
	b := newBench(t, e.Model(), g)
	b.press("D")
	b.choose("gemm")
	b.until("the pass", g.isReached)
	b.app.look(placeNodes)
	for range 50 {
		b.press("j", "k", "j", "G", "g")
	}
	g.open()
	b.until("the groups", b.shows("2 groups of equal tensors"))
	b.sees("2 × f32 1024×1024, 4.0 MiB each")
}

// TestTensorTrouble opens a model whose weights are gone.
func TestTensorTrouble(t *testing.T) {
	d := newDesk(t, graphtest.Decode(t, graphtest.HostileExternal(t, "weights.bin", "key")), 120, 40)
	toTensor("node")(d)
	d.sees("4.0 KiB, weights.bin", "cannot be found", "A reads it again")
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, tensors), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d = newDesk(t, m, 120, 40)
	toTensor("conv")(d)
	d.sees("m.onnx at")
}

// TestTensorBroken has a pass that panics: it is told, and nothing waits.
func TestTensorBroken(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	p := tensorOf(d)
	r := &pass{inquiry: inquiry{p.current().Tensor, "profile"}, ended: make(chan struct{})}
	p.passes.forget(r.inquiry)
	p.passes.running, r.cancel = r, func() {}
	d.send(r.run(t.Context(), func(context.Context, func(done, total int64)) (any, error) { panic("out of order") })())
	d.sees("internal error: out of order", "A reads it again")
}

func TestKeptAnswersAreBounded(t *testing.T) {
	var ps passes
	for i := range 3 * maxAnswers {
		ps.keep(&answered{inquiry: inquiry{what: fmt.Sprint(i)}})
		ps.touch(ps.answer(inquiry{what: fmt.Sprint(max(2*maxAnswers, i/2))}).orFirst(&ps))
	}
	if len(ps.kept) != maxAnswers {
		t.Errorf("%d answers are kept, want %d", len(ps.kept), maxAnswers)
	}
}

func (a *answered) orFirst(ps *passes) *answered {
	if a == nil {
		return ps.kept[0]
	}
	return a
}

// TestTensorGoesToReader goes from one of two equal tensors to what reads it.
func TestTensorGoesToReader(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	d.press("D", "j", "j", "enter")
	if d.selected() != "user" {
		t.Errorf("the selection is at %q, want the node that reads the twin", d.selected())
	}
	d.press("[")
	if d.selected() != "gemm" {
		t.Errorf("back leads to %q", d.selected())
	}
}

// TestTensorIndex goes to elements by their index.
func TestTensorIndex(t *testing.T) {
	for typed, want := range map[string]string{
		"7 2 3 4":    "[7, 2, 3, 4] = ",
		"[1,0,2,-1]": "[1, 0, 2, 4] = ",
		"1,2":        "2 of 4 indices, one for each axis of 8×3×4×5",
		"1 2 x 4":    `"x" is not a whole number`,
		"8 0 0 0":    "axis 0 has indices 0 to 7, not 8",
	} {
		d := tensorDesk(t, 120, 40)
		toTensor("conv")(d)
		d.press("i")
		d.paste(typed)
		d.press("enter")
		d.sees(want)
	}
}

// TestTensorMouse clicks on a tensor, a tab, an element, a line.
func TestTensorMouse(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	p := tensorOf(d)
	p.clicked(5, 1)
	d.send(nudge{})
	d.sees("›input 2  bias")
	from, _ := p.tabAt(viewElements)
	p.clicked(from+1, p.headHeight()-1)
	d.send(nudge{})
	d.press("K")
	d.send(nudge{})
	p.clicked(1+p.elements.rowHead()+1+p.elements.columnWidth()+1, p.headHeight()+elementsHead+2)
	d.sees("[2, 1] = ")
	p.wheeled(1)
	d.sees("[3, 1] = ")
	p.clicked(200, 200)
	p.clicked(0, p.headHeight()+elementsHead)
	d.sees("[3, 1] = ")
	d.press("D")
	p.clicked(3, p.headHeight()+equalHead+1)
	if p.equal.rows.Cursor != 1 {
		t.Errorf("the click leads to line %d, want 1", p.equal.rows.Cursor)
	}
}

// TestAxes turns views of a tensor of four axes.
func TestAxes(t *testing.T) {
	shape := []int64{8, 3, 4, 5}
	for _, c := range []struct {
		name string
		x    *axes
		do   func(*axes)
		want string
	}{
		{"elements", elementAxes(shape), func(*axes) {}, "[›0, 0, ↓, →]"},
		{"heat", heatAxes(shape), func(*axes) {}, "[↓, ›all, all, →]"},
		{"next", elementAxes(shape), (*axes).nextHeld, "[0, ›0, ↓, →]"},
		{"around", elementAxes(shape), func(x *axes) { x.nextHeld(); x.nextHeld() }, "[›0, 0, ↓, →]"},
		{"step", elementAxes(shape), func(x *axes) { x.step(1) }, "[›1, 0, ↓, →]"},
		{"step back", elementAxes(shape), func(x *axes) { x.step(-1) }, "[›7, 0, ↓, →]"},
		{"step of all", heatAxes(shape), func(x *axes) { x.step(1) }, "[↓, ›0, all, →]"},
		{"back to all", heatAxes(shape), func(x *axes) { x.step(-1); x.step(1) }, "[↓, ›all, all, →]"},
		{"sides change", elementAxes(shape), (*axes).turnDown, "[›0, 0, →, ↓]"},
		{"down", elementAxes(shape), func(x *axes) { x.turnDown(); x.turnDown() }, "[↓, ›0, →, 0]"},
		{"across", elementAxes(shape), (*axes).turnAcross, "[→, ›0, ↓, 0]"},
		{"turned", elementAxes(shape), (*axes).transpose, "[›0, 0, →, ↓]"},
		{"list", elementAxes(shape[:1]), func(*axes) {}, "[↓]"},
		{"list turned", elementAxes(shape[:1]), (*axes).transpose, "[→]"},
		{"scalar", elementAxes(nil), func(*axes) {}, "[]"},
	} {
		c.do(c.x)
		if got, _, _ := strings.Cut(c.x.brief(), " of"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if err := c.x.Check(c.x.shape); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLargeMatrix moves through a matrix that is much larger than a block.
func TestLargeMatrix(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	withLargeTensor(d)
	p := tensorOf(d)
	for _, k := range []string{"G", "ctrl+u", "pgup", "l", "right", "g", "ctrl+d"} {
		d.press(k)
		e := p.elements
		d.sees(fmt.Sprintf("[%d, %d] = %d", e.rows.Cursor, e.columns.Cursor, e.rows.Cursor*300+e.columns.Cursor))
		d.lacks(unread + " ")
	}
	for range 299 {
		d.press("l")
	}
	d.sees("299] = ")
}

// withLargeTensor looks into the elements of a tensor of 500×300.
func withLargeTensor(d *desk) {
	d.app.look(placeTensor)
	d.send(nudge{})
	values := make([]int64, 500*300)
	for i := range values {
		values[i] = int64(i)
	}
	v, err := tensor.FromInt64s(tensor.I32, values, 500, 300)
	if err != nil {
		d.t.Fatal(err)
	}
	p := tensorOf(d)
	p.constants = []rowTensor{newRowTensor(graphops.NewTensorOf("large", v), "input 0", "large")}
	p.chosen.Reset(1, 0)
	p.turnTo()
	d.press("E")
}

// TestTensorIsSaid hears every view.
func TestTensorIsSaid(t *testing.T) {
	for keys, want := range map[string]string{
		"S":   "min          -2",
		"H":   "4 from -2.34375 to -1.875\n3 from -0.46875 to 0\n",
		"T":   "the largest 7 from [1, 0] on",
		"E j": "[1, 0] = 7, down axis 0 of 4, across axis 1 of 6",
		"D j": "bias, line 2 of",
	} {
		d := tensorDesk(t, 120, 40)
		toTensor("gemm")(d)
		d.press(strings.Fields(keys)...)
		if got := tensorOf(d).said(); !strings.Contains(got, want) {
			t.Errorf("%s is said as %q, want %q", keys, got, want)
		}
	}
}

// TestHostileTensors looks into every tensor of a model full of each payload.
func TestHostileTensors(t *testing.T) {
	for i, payload := range graphtest.Hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			d := newDesk(t, graphtest.Decode(t, graphtest.HostileProto(t, payload)), 140, 50)
			d.app.look(placeTensor)
			d.send(nudge{})
			for range d.app.ws.outline.len() {
				d.look("tensor")
				for range 3 {
					d.walk([]string{"S H T E j l D j J"})
				}
				d.app.look(placeNodes)
				d.press("j")
				d.app.look(placeTensor)
			}
			d = newDesk(t, graphtest.Decode(t, graphtest.HostileExternal(t, payload, payload)), 140, 50)
			toTensor("node")(d)
			d.walk([]string{"S H T E D A"})
		})
	}
}

// setTensors are the settings of a test with another model than branchy.
func setTensors(name, keys string) func(*desk) {
	return func(d *desk) {
		*d = *newDeskWith(d.t, Options{
			Path: "model.onnx", Model: tensorModel(d.t), Steps: fakeSteps, Background: BackgroundDark,
			Now:      func() time.Time { return time.Unix(0, 0).UTC() },
			Settings: config.Config{Theme: config.ThemeAuto, AltScreen: true, Columns: []string{"op", "name", "type"}},
		}, 120, 40)
		toTensor(name)(d)
		d.press(strings.Fields(keys)...)
	}
}

func showsView(v tensorView) func(*desk) bool {
	return func(d *desk) bool { return tensorOf(d).shown == v }
}

func init() {
	effects[placeMain]["look-tensor"] = effect{nil, looksAt(placeTensor)}
	effects[placeTensor] = map[action]effect{
		actionStatistics:  {setTensors("gemm", "H"), showsView(viewStatistics)},
		actionHistogram:   {setTensors("gemm", ""), shows("numbers, 45 bars")},
		actionHeatMap:     {setTensors("gemm", ""), shows("each element a cell")},
		actionElements:    {setTensors("gemm", ""), shows("[0, 0] = 1")},
		actionEqual:       {setTensors("gemm", ""), shows("2 × f32 6, 24 B each")},
		actionNextView:    {setTensors("gemm", ""), showsView(viewHistogram)},
		actionNextTensor:  {setTensors("gemm", ""), shows("›input 2")},
		actionPrevTensor:  {setTensors("gemm", "J"), shows("›input 1")},
		actionRight:       {setTensors("gemm", "E"), shows("[0, 1] = -2")},
		actionLeft:        {setTensors("gemm", "E l"), shows("[0, 0] = 1")},
		actionDownAxis:    {setTensors("conv", "E"), shows("[›0, 0, →, ↓]")},
		actionAcrossAxis:  {setTensors("conv", "E"), shows("[→, ›0, ↓, 0]")},
		actionTranspose:   {setTensors("gemm", "E l"), shows("[→, ↓]")},
		actionHeldAxis:    {setTensors("conv", "E"), shows("[0, ›0, ↓, →]")},
		actionIndexAfter:  {setTensors("conv", "E"), shows("[›1, 0, ↓, →]")},
		actionIndexBefore: {setTensors("conv", "E"), shows("[›7, 0, ↓, →]")},
		actionIndex:       {setTensors("conv", "E"), opens(placeIndex)},
		actionScale:       {setTensors("conv", "H"), shows("logarithmic")},
		actionMeasure:     {setTensors("conv", "T"), shows("mean, ")},
		actionReader:      {setTensors("gemm", "D j j"), selects("user")},
		actionReadAgain:   {failedTensor, shows("max          7")},
		actionStop:        {setTensors("gemm", ""), looksAt(placeNodes)},
	}
	effects[placeIndex] = map[action]effect{
		actionAccept: {setTensors("conv", "i 1 , 2 , 3 , 4"), shows("[1, 2, 3, 4] = ")},
		actionClose:  {setTensors("conv", "i"), closed},
	}
	positions[placeTensor] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{func(d *desk) {
		withLargeTensor(d)
		for range 5 {
			tensorOf(d).move(list.PageDown)
		}
	}, func(d *desk) int { return tensorOf(d).elements.rows.Cursor }}
}

// failedTensor looks into a tensor that could not be read.
func failedTensor(d *desk) {
	setTensors("gemm", "")(d)
	for _, a := range tensorOf(d).passes.kept {
		a.value, a.err = nil, errLuck
	}
	d.send(nudge{})
}
