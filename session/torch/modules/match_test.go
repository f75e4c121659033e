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
			calls, err := g.Judge(1, func(int) (modules.Made, error) { return c.made, nil })
			if err != nil || calls[0].Verdict != c.verdict {
				t.Fatalf("%+v, %v, want %v", calls, err, c.verdict)
			}
			if call, got := calls[0], ""; call.Other != modules.NoValue {
				if got = m.Graph().Index().Name(call.Other); got != c.value || call.Off == 0 {
					t.Errorf("differs from %q by %g, want %q", got, call.Off, c.value)
				}
			}
		})
	}
	tensors := func(list ...tensor.Tensor) []tensor.Tensor { return list }
	flat := tensor.FromSlice([]float32{9, 9, 9, 9}, 4)
	for name, c := range map[string]struct {
		before  modules.Made // a call in front of that of "two", whose result is wrong
		given   tensor.Tensor
		entry   modules.Verdict
		skipped int
	}{
		"reads what it is given":       {modules.Made{Path: "enc", Results: tensors(a)}, a, modules.Right, -1},
		"reads something else":         {modules.Made{Path: "enc", Results: tensors(other)}, other, modules.Wrong, -1},
		"reads nothing of that shape":  {modules.Made{Path: "enc", Results: tensors(a)}, flat, modules.Unknown, -1},
		"one before it is left out":    {modules.Made{Path: "relu", Given: tensors(a), Results: tensors(other)}, other, modules.Right, 0},
		"one before it was taken in":   {modules.Made{Path: "relu", Trained: true, Given: tensors(a), Results: tensors(other)}, other, modules.Right, -1},
		"one that was taken in, wrong": {modules.Made{Path: "relu", Trained: true, Given: tensors(y), Results: tensors(other)}, other, modules.Wrong, -1},
		"a change of shape is no node": {modules.Made{Path: "relu", Given: tensors(a), Results: tensors(flat)}, flat, modules.Right, -1},
	} {
		t.Run(name, func(t *testing.T) {
			made := []modules.Made{c.before, {Path: "two", Given: tensors(c.given), Results: tensors(other)}}
			calls, err := g.Judge(2, func(i int) (modules.Made, error) { return made[i], nil })
			if err != nil || calls[1].Verdict != modules.Wrong || calls[1].Entry != c.entry || calls[1].Skipped != c.skipped {
				t.Errorf("%+v, %v", calls[1], err)
			}
		})
	}
}

// TestJudgeAgain: of two calls of a module the one that differs does not differ from the value of the
// other one.
func TestJudgeAgain(t *testing.T) {
	m := graphtest.Model(t, `
		ir 10
		opset 21
		input x f32[2]
		output y f32[2]
		/fc/Abs: a = Abs(x)
		/fc_1/Abs: b = Abs(a)
		/Add: y = Add(a, b)
	`)
	f := func(x ...float32) tensor.Tensor { return tensor.FromSlice(x, 2) }
	made := []modules.Made{
		{Path: "fc", Given: []tensor.Tensor{f(-1, 2)}, Results: []tensor.Tensor{f(1, 2)}},
		{Path: "fc", Given: []tensor.Tensor{f(1, 2)}, Results: []tensor.Tensor{f(1, 3)}},
	}
	g := modules.GraphOf(m, []string{"fc"})
	g.Values = map[string]tensor.Tensor{"x": f(-1, 2), "a": f(1, 2), "b": f(5, 9)}
	g.Compare = func(want, got tensor.Tensor) (bool, float64, error) {
		m, err := tensor.Compare(want, got, tensor.Tolerance{})
		return m.Mismatched > 0, m.MaxAbs, err
	}
	calls, err := g.Judge(len(made), func(i int) (modules.Made, error) { return made[i], nil })
	if err != nil || calls[0].Verdict != modules.Right || calls[1].Verdict != modules.Wrong || m.Graph().Index().Name(calls[1].Other) != "b" {
		t.Errorf("%+v, %v", calls, err)
	}
}
