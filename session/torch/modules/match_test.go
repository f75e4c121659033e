package modules_test

import (
	"slices"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/torch/modules"
)

// sizes has a module that computes a size beside its result, one that gives two results, and one
// that was left out: relu.
const sizes = `
	ir 10
	opset 21
	input x f32[2,2]
	output y f32[2,2]
	/enc/Shape: s = Shape(x)
	/enc/Neg: a = Neg(x)
	/two/Abs: b = Abs(a)
	/two/Exp: c = Exp(a)
	/head/Add: d = Add(b, c)
	/head/Reshape: y = Reshape(d, s)
`

func TestJudge(t *testing.T) {
	m := graphtest.Model(t, sizes)
	paths := []string{"enc", "relu", "two", "head", "drop", ""}
	g := modules.GraphOf(m, paths)
	if got, want := g.Names(), []string{"a", "b", "c", "s", "y"}; !slices.Equal(got, want) {
		t.Errorf("values are %q, want %q", got, want)
	}
	f := func(x ...float32) tensor.Tensor { return tensor.FromSlice(x, 2, 2) }
	x, a, b, c, y := f(1, -2, 3, 4), f(-1, 2, -3, -4), f(1, 2, 3, 4), f(.4, 7, .05, .02), f(1.4, 9, 3, 4)
	g.Values = map[string]tensor.Tensor{"x": x, "s": tensor.FromSlice([]int64{2, 2}, 2), "a": a, "b": b, "c": c, "y": y}
	g.Compare = func(want, got tensor.Tensor) (bool, float64, error) {
		m, err := tensor.Compare(want, got, tensor.Tolerance{ATol: 1e-6})
		return m.Mismatched > 0, m.MaxAbs, err
	}
	other := f(9, 9, 9, 9)
	for name, c := range map[string]struct {
		made    modules.Made
		verdict modules.Verdict
		value   string
	}{
		"beside a size":                 {modules.Made{Path: "enc", Results: []tensor.Tensor{a}}, modules.Right, ""},
		"another value":                 {modules.Made{Path: "enc", Results: []tensor.Tensor{other}}, modules.Wrong, "a"},
		"another shape":                 {modules.Made{Path: "enc", Results: []tensor.Tensor{tensor.FromSlice([]float32{1, 2, 3, 4}, 4)}}, modules.Unknown, ""},
		"two results":                   {modules.Made{Path: "two", Results: []tensor.Tensor{c, b}}, modules.Right, ""},
		"one of two":                    {modules.Made{Path: "two", Results: []tensor.Tensor{b, other}}, modules.Wrong, "c"},
		"a result that nobody reads":    {modules.Made{Path: "head", Results: []tensor.Tensor{y, other}}, modules.Right, ""},
		"without nodes, under another":  {modules.Made{Path: "relu", Results: []tensor.Tensor{b}}, modules.Right, ""},
		"without nodes, nowhere":        {modules.Made{Path: "relu", Results: []tensor.Tensor{other}}, modules.Unknown, ""},
		"what it was given":             {modules.Made{Path: "drop", Passes: true, Results: []tensor.Tensor{other}}, modules.Passing, ""},
		"the model itself":              {modules.Made{Path: "", Results: []tensor.Tensor{y}}, modules.Right, ""},
		"the model itself, and another": {modules.Made{Path: "", Results: []tensor.Tensor{other}}, modules.Wrong, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			call, off, err := g.Judge(c.made)
			if err != nil || call.Verdict != c.verdict {
				t.Fatalf("verdict %v, %v, want %v", call.Verdict, err, c.verdict)
			}
			if got := ""; call.Other != modules.NoValue {
				if got = m.Graph().Index().Name(call.Other); got != c.value || off == 0 {
					t.Errorf("differs from %q by %g, want %q", got, off, c.value)
				}
			}
		})
	}
	behind := modules.Call{Path: "two"}
	for name, c := range map[string]struct {
		made modules.Made
		want bool
	}{
		"left out":      {modules.Made{Path: "relu", Given: []tensor.Tensor{a}}, true},
		"given another": {modules.Made{Path: "relu", Given: []tensor.Tensor{other}}, false},
		"has nodes":     {modules.Made{Path: "enc", Given: []tensor.Tensor{a}}, false},
	} {
		if got, err := g.Skips(c.made, behind); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
