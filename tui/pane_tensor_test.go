package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/tui/cells"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// ofTensors is a model with tensors of all kinds.
const ofTensors = `
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

// tensorModel returns that model, with an added tensor of complex numbers.
func tensorModel(t testing.TB) *graphops.Model {
	t.Helper()
	e := graphops.Edit(graphtest.Model(t, ofTensors))
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

func tensorOf(d *desk) *tensors.Pane {
	return d.paneOf(workspace.PlaceTensor).(*tensors.Pane)
}

// toTensor selects a row by name and looks at its tensors.
func toTensor(name string) func(*desk) {
	return func(d *desk) {
		o := d.app.ws.Outline
		for row := range o.Len() {
			if o.Name(row) == name {
				d.app.ws.GoTo(row)
			}
		}
		d.app.Look(workspace.PlaceTensor)
		d.send(nudge{})
	}
}

// nudge is a message that nothing handles; it makes the panes adapt to what has changed.
type nudge struct{}

// tensorLooks are the views in the golden files: the row, and the keys.
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
		for _, size := range sizes {
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

// TestTensorThemes checks the views with colors, without colors, and in ASCII.
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

// TestTensorASCII looks for characters without an ASCII replacement.
func TestTensorASCII(t *testing.T) {
	for _, v := range tensorLooks {
		d := tensorDesk(t, 120, 40, func(o *Options) { o.Settings.ASCII = true })
		toTensor(v.row)(d)
		d.press(strings.Fields(v.keys)...)
		if drawn := cells.ASCII(strings.Join(tensorOf(d).View(true), "\n")); strings.Contains(drawn, "?") {
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
	for i := range p.Constants {
		d.press("S")
		p.Choose(i)
		d.send(nudge{})
		c := p.Current()
		words := want[c.Name]
		if strings.Contains(c.Role, "indices") {
			words = []string{"i64", "", "", "[0] = 1"}
		}
		if words == nil {
			t.Errorf("nothing says what %s looks like", c.Name)
		}
		for k, key := range []string{"S", "H", "T", "E"} {
			d.press(key)
			d.sees(words[k])
			if d.hasControls() {
				t.Errorf("%s: %q", c.Name, d.unprintable())
			}
		}
	}
}

// TestTensorOfRow checks which tensors a row has.
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
		for _, c := range tensorOf(d).Constants {
			got = append(got, c.Role+" "+c.Name)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s has %q, want %q", row, s, want)
		}
	}
}

// TestTensorFromAround shows a constant that a body takes from the enclosing graph.
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
	d.app.Look(workspace.PlaceNodes)
	d.press("o", "enter")
	toTensor("inner")(d)
	d.sees("w  input 0", "f32 2, 2 elements, 8 B")
}

// TestTensorTrouble opens a model whose weights are missing.
func TestTensorTrouble(t *testing.T) {
	d := newDesk(t, graphtest.Decode(t, graphtest.HostileExternal(t, "weights.bin", "key")), 120, 40)
	toTensor("node")(d)
	d.sees("4.0 KiB, weights.bin", "cannot be found", "A reads it again")
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, ofTensors), 0o600); err != nil {
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

// TestTensorIsSaid checks what a screen reader says about every view.
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
		if got := tensorOf(d).Said(); !strings.Contains(got, want) {
			t.Errorf("%s is said as %q, want %q", keys, got, want)
		}
	}
}

// TestHostileTensors looks into every tensor of a model full of payloads.
func TestHostileTensors(t *testing.T) {
	t.Parallel()
	for payloads := range slices.Chunk(graphtest.Hostile, hostileTogether) {
		payload := strings.Join(payloads, "")
		t.Run(fmt.Sprintf("%q", payload), func(t *testing.T) {
			d := newDesk(t, graphtest.Decode(t, graphtest.HostileProto(t, payload)), 140, 50)
			for row := range d.app.ws.Outline.Len() {
				d.app.ws.GoTo(row)
				d.app.Look(workspace.PlaceTensor)
				d.send(nudge{})
				for range tensorOf(d).Constants {
					d.walk([]string{"S H T E j l D j J"})
				}
			}
			d = newDesk(t, graphtest.Decode(t, graphtest.HostileExternal(t, payload, payload)), 140, 50)
			toTensor("node")(d)
			d.walk([]string{"S H T E D A"})
		})
	}
}
