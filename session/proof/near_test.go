package proof_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/proof"
)

// nearModels are two models that take x of 8 numbers and give y.
func nearModels(t *testing.T) (original, changed *graphops.Model) {
	t.Helper()
	const text = "input x f32[8]\ny = Identity(x)\noutput y f32[8]"
	return graphtest.Model(t, text), graphtest.Model(t, text)
}

// gives always gives one value, whatever it is fed.
func gives(v graphops.Value) program {
	return func(graphops.Feeds) (map[string]graphops.Value, error) {
		return map[string]graphops.Value{"y": v}, nil
	}
}

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

func TestNearTolerance(t *testing.T) {
	f32 := func(list ...float32) graphops.Value { return value(list, int64(len(list))) }
	i64 := func(list ...int64) graphops.Value {
		return graphops.TensorValue(tensor.FromSlice(list, int64(len(list))))
	}
	text := func(list ...string) graphops.Value {
		return graphops.TensorValue(tensor.FromStrings(list, int64(len(list))))
	}
	seq := func(items ...graphops.Value) graphops.Value {
		return graphops.SequenceValue(graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}, items...)
	}
	mask := []float32{1, 2, 3, 4, -3.4e38, -3.4e38}
	for name, c := range map[string]struct {
		want, got graphops.Value
		differs   string // "" where it is near
	}{
		"equal":                     {f32(1, 2, 3), f32(1, 2, 3), ""},
		"some units":                {f32(1, 2, 3), f32(1.000001, 2.000001, 3), ""},
		"a thousandth":              {f32(1, 2, 3), f32(1, 2, 3.003), "is 3.003 at [2], and 3 in the original"},
		"small numbers":             {f32(1e-7, 2e-7, 3e-7), f32(1e-7, 2e-7, 3.1e-7), "is 3.1e-07 at [2], and 3e-07 in the original"},
		"a sum that cancels":        {f32(1000, 2000, 1e-4), f32(1000, 2000, 2e-4), ""},
		"large numbers":             {f32(1e9, 2e9, 3e9), f32(1e9, 2e9, 3.001e9), "is 3.001e+09 at [2]"},
		"beside a mask":             {f32(mask...), f32(append([]float32{1.01}, mask[1:]...)...), "is 1.01 at [0], and 1 in the original"},
		"beside an outlier":         {f32(1, 1, 1, 1, 1, 1, 1e9), f32(1, 1, 1, 1, 1, 1.01, 1e9), "is 1.01 at [5]"},
		"NaN in one place":          {f32(1, nan, 3), f32(1, nan, 3.000001), ""},
		"NaN in another":            {f32(1, nan, 3), f32(nan, 1, 3), "is NaN at [0], and 1 in the original"},
		"infinity for a number":     {f32(1, 2, 3), f32(1, 2, inf), "is +Inf at [2], and 3 in the original"},
		"the other infinity":        {f32(1, 2, inf), f32(1, 2, -inf), "is -Inf at [2], and +Inf in the original"},
		"a zero's sign":             {f32(0, 1, 2), f32(float32(math.Copysign(0, -1)), 1, 2), ""},
		"an integer":                {i64(1, 2, 1<<60), i64(1, 2, 1<<60+1), "at [2]"},
		"equal integers":            {i64(1, 2, 1<<60), i64(1, 2, 1<<60), ""},
		"a text":                    {text("a", "b"), text("a", "c"), `is "c" at [1], and "b" in the original`},
		"another type":              {f32(1, 2), i64(1, 2), "i64 2, expected f32 2"},
		"another shape":             {f32(1, 2, 3, 4), value([]float32{1, 2, 3, 4}, 2, 2), "f32 2×2, expected f32 4"},
		"a sequence":                {seq(f32(1, 2), f32(3)), seq(f32(1, 2), f32(3)), ""},
		"an element of a sequence":  {seq(f32(1, 2), f32(3)), seq(f32(1, 2), f32(4)), `value "y"[1] is 4`},
		"a shorter sequence":        {seq(f32(1, 2), f32(3)), seq(f32(1, 2)), "seq(f32) of 1 tensors, expected seq(f32) of 2"},
		"a sequence for its tensor": {f32(1, 2), seq(f32(1, 2)), "expected f32 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			const text = "input x f32[8]\ny = Identity(x)\noutput y"
			original, changed := graphtest.Model(t, text), graphtest.Model(t, text)
			p := proof.Prover{Runner: runner{original: gives(c.want), changed: gives(c.got)}}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.differs == "" && n.Difference != nil, c.differs != "" && n.Difference == nil:
				t.Errorf("got %v of %+v, want %q", n.Difference, n.Outputs, c.differs)
			case c.differs != "" && !strings.Contains(n.Difference.String(), c.differs):
				t.Errorf("got %q, want %q", n.Difference, c.differs)
			}
		})
	}
}

// plus gives its input and something more for each element.
func plus(t *testing.T, more func(x []float32, i int) float32) program {
	return func(in graphops.Feeds) (map[string]graphops.Value, error) {
		x := floats(t, in["x"])
		y := make([]float32, len(x))
		for i := range x {
			y[i] = x[i] + more(x, i)
		}
		return map[string]graphops.Value{"y": value(y, int64(len(y)))}, nil
	}
}

// A difference beyond the tolerance is rounding where the original differs from itself as much on
// inputs that are off by a unit in the last place. What the runtime makes of the original is no
// excuse, and nothing is shown where rounding makes the result.
func TestNearRounding(t *testing.T) {
	none := func([]float32, int) float32 { return 0 }
	add := func(by float32) func([]float32, int) float32 {
		return func([]float32, int) float32 { return by }
	}
	// A wave so steep that the last place of x moves it by so many thousandths of its size.
	wave := func(steep, off float64) func([]float32, int) float32 {
		return func(x []float32, i int) float32 { return float32(math.Sin(1e4 * steep * float64(x[i]) * (1 + off))) }
	}
	for name, c := range map[string]struct {
		original, optimized, changed func([]float32, int) float32
		near                         bool
		undecided                    string
	}{
		"the original rounds badly": {wave(0.1, 0), nil, wave(0.1, 1e-7), true, ""},
		"farther than that":         {wave(0.1, 0), nil, wave(0.1, 1e-5), false, ""},
		"rounding makes the result": {wave(100, 0), nil, wave(100, 1e-7), true, "rounding alone moves it by"},
		"as the runtime makes it":   {none, add(0.001), add(0.001), false, ""},
		"nothing rounds":            {none, none, add(0.001), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			original, changed := nearModels(t)
			p := proof.Prover{Runner: runner{original: plus(t, c.original), changed: plus(t, c.changed)}}
			if c.optimized != nil {
				p.Optimized = runner{original: plus(t, c.optimized)}
			}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if err != nil {
				t.Fatal(err)
			}
			y := n.Outputs[0]
			if (n.Difference == nil) != c.near || c.near && y.Rounding == 0 || (y.Undecided == "") != (c.undecided == "") || !strings.Contains(y.Undecided, c.undecided) {
				t.Errorf("got %v, %+v", n.Difference, y)
			}
		})
	}
}

// Integers that rounding alone changes are undecided where they differ; others must be equal.
func TestNearIntegers(t *testing.T) {
	steps := func(steps float64, more func(i int) int64) program {
		return func(in graphops.Feeds) (map[string]graphops.Value, error) {
			var out []int64
			for i, x := range floats(t, in["x"]) {
				out = append(out, int64(float64(x)*steps)+more(i))
			}
			return map[string]graphops.Value{"y": graphops.TensorValue(tensor.FromSlice(out, 8))}, nil
		}
	}
	same := func(int) int64 { return 0 }
	third := func(i int) int64 { return map[int]int64{3: 1}[i] }
	for name, c := range map[string]struct {
		fine            float64
		more            func(int) int64
		near, undecided bool
	}{
		"equal":               {10, same, true, false},
		"one differs":         {10, third, false, false},
		"rounding decides it": {1 << 30, third, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			const text = "input x f32[8]\nf = Identity(x)\ny = Cast(f) to=7\noutput y i64[8]"
			original, changed := graphtest.Model(t, text), graphtest.Model(t, text)
			p := proof.Prover{Runner: runner{original: steps(c.fine, same), changed: steps(c.fine, c.more)}}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if err != nil || (n.Difference == nil) != c.near || (n.Outputs[0].Undecided != "") != c.undecided || c.undecided == (len(n.Compared()) > 0) && c.near {
				t.Errorf("got %+v, %v", n, err)
			}
		})
	}
}

// What cannot be fed or asked as the original can is no stand-in for it.
func TestNearInterface(t *testing.T) {
	const text = "input x f32[b,2]\ninput z f32[b,2]\ny = Add(x, z)\nw = Sub(x, z)\noutput y f32[b,2]\noutput w f32[b,2]"
	original := graphtest.Model(t, text)
	run := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		return map[string]graphops.Value{"y": in["x"], "w": in["z"]}, nil
	}
	for name, c := range map[string]struct{ old, with, differs string }{
		"nothing":            {"", "", ""},
		"an input gone":      {"input z f32[b,2]\n", "init z f32[1,2] 1 2\n", `has no input "z", the original has`},
		"an input more":      {"y =", "input q f32[1]\ny =", `has an input "q", the original has none`},
		"inputs exchanged":   {"input x f32[b,2]\ninput z f32[b,2]", "input z f32[b,2]\ninput x f32[b,2]", `has the input "z" where the original has "x"`},
		"an input's type":    {"input x f32[b,2]", "input x f16[b,2]", `takes f16 of shape b×2 as input "x", the original f32 of shape b×2`},
		"an input's symbol":  {"input x f32[b,2]", "input x f32[n,2]", `takes f32 of shape n×2 as input "x"`},
		"a frozen axis":      {"input x f32[b,2]", "input x f32[2,2]", `takes f32 of shape 2×2 as input "x"`},
		"outputs exchanged":  {"output y f32[b,2]\noutput w f32[b,2]", "output w f32[b,2]\noutput y f32[b,2]", `has the output "w" where the original has "y"`},
		"an output gone":     {"\noutput w f32[b,2]", "", `has no output "w", the original has`},
		"an output's shape":  {"output y f32[b,2]", "output y f32[b,3]", "its shape is 2×2, but the model declares b×3"},
		"an output's symbol": {"output y f32[b,2]", "output y f32[b+1,2]", "its shape is 2×2, but the model declares"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := graphtest.Model(t, strings.Replace(text, c.old, c.with, 1))
			p := proof.Prover{Runner: runner{original: run, changed: run}}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.differs == "" && (n.Difference != nil || !n.BitsEqual()) || c.differs != "" && (n.Difference == nil || !strings.Contains(n.Difference.String(), c.differs)) {
				t.Errorf("got %v, want %q", n.Difference, c.differs)
			}
		})
	}
}

// Outputs that show nothing are told, and do not hide a difference.
func TestNearShowsNothing(t *testing.T) {
	const text = "input x f32[8]\ny = Identity(x)\nz = Identity(x)\noutput y f32[8]\noutput z f32[8]"
	same := func(x float32) graphops.Value { return value(slices.Repeat([]float32{x}, 8), 8) }
	draws := float32(0)
	draw := func() graphops.Value { draws++; return same(draws) }
	two := func(y, z func() graphops.Value) program {
		return func(graphops.Feeds) (map[string]graphops.Value, error) {
			return map[string]graphops.Value{"y": y(), "z": z()}, nil
		}
	}
	still := func(v graphops.Value) func() graphops.Value { return func() graphops.Value { return v } }
	numbers := still(value([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 8))
	moved := func() graphops.Value {
		draws++
		return value([]float32{1, 2, 3, 4, 5, 6, 7, 8 + float32(int(draws)%2)*1e-4}, 8)
	}
	for name, c := range map[string]struct {
		original, changed program
		compared          []string
		silent            string // of y
		unsteady, faint   bool   // y
		err, differs      string
	}{
		"both":           {two(numbers, numbers), two(numbers, numbers), []string{"y", "z"}, "", false, true, "", ""},
		"constant":       {two(still(same(3)), numbers), two(still(same(3)), numbers), []string{"z"}, "every element is 3 on all inputs", false, false, "", ""},
		"NaN":            {two(still(same(nan)), numbers), two(still(same(nan)), numbers), []string{"z"}, "every element is NaN on all inputs", false, false, "", ""},
		"constant, off":  {two(still(same(3)), numbers), two(still(same(4)), numbers), nil, "", false, false, "", "is 4 at [0], and 3 in the original"},
		"hardly moved":   {two(moved, numbers), two(moved, numbers), []string{"y", "z"}, "", false, true, "", ""},
		"random":         {two(draw, numbers), two(draw, numbers), []string{"z"}, "", true, false, "", ""},
		"random and off": {two(draw, numbers), two(draw, draw), nil, "", false, false, "", `value "z"`},
		"all random":     {two(draw, draw), two(draw, draw), nil, "", false, false, `the original gives different results in each run: "y", "z"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			original, changed := graphtest.Model(t, text), graphtest.Model(t, text)
			p := proof.Prover{Runner: runner{original: c.original, changed: c.changed}}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if c.err != "" {
				if !proof.IsUnproved(err) || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.differs != "" {
				if n.Difference == nil || !strings.Contains(n.Difference.String(), c.differs) {
					t.Errorf("got %v", n.Difference)
				}
				return
			}
			if n.Difference != nil || !slices.Equal(n.Compared(), c.compared) || n.Outputs[0].Silent != c.silent || n.Outputs[0].Unsteady != c.unsteady || n.Outputs[0].Faint != c.faint {
				t.Errorf("got %+v", n)
			}
		})
	}
}

// What an operator draws without a seed is not compared, also where two runs happen to draw
// the same. With a seed it is.
func TestNearOfWhatIsDrawn(t *testing.T) {
	numbers := func(y float32) program {
		return func(graphops.Feeds) (map[string]graphops.Value, error) {
			return map[string]graphops.Value{"y": value([]float32{y, 0}, 2), "z": value([]float32{1, 2}, 2)}, nil
		}
	}
	for seed, want := range map[string]string{"": "", " seed=1.0": `value "y" is 1 at [0], and 0 in the original`} {
		text := "opset 15\ninput x f32[2]\nd = Bernoulli(x)" + seed + "\ny = Neg(d)\nz = Identity(x)\noutput y f32[2]\noutput z f32[2]"
		original, changed := graphtest.Model(t, text), graphtest.Model(t, text)
		p := proof.Prover{Runner: runner{original: numbers(0), changed: numbers(1)}}
		n, err := p.NearAt(t.Context(), original, changed, nil)
		switch {
		case err != nil:
			t.Error(err)
		case want == "" && (n.Difference != nil || !n.Outputs[0].Unsteady || !slices.Equal(n.Compared(), []string{"z"})):
			t.Errorf("without a seed: got %+v", n)
		case want != "" && (n.Difference == nil || !strings.Contains(n.Difference.String(), want)):
			t.Errorf("with a seed: got %+v", n)
		}
	}
}

// Where all numbers of the usual distribution give NaN, others are tried.
func TestNearTriesOtherNumbers(t *testing.T) {
	original, changed := nearModels(t)
	root := func(more float32) program {
		return func(in graphops.Feeds) (map[string]graphops.Value, error) {
			x := floats(t, in["x"])
			negative := slices.Min(x) < 0
			for i := range x {
				if x[i] = float32(math.Sqrt(float64(x[i]))) + more; negative {
					x[i] = nan
				}
			}
			return map[string]graphops.Value{"y": value(x, 8)}, nil
		}
	}
	for more, near := range map[float32]bool{0: true, 0.01: false} {
		p := proof.Prover{Runner: runner{original: root(0), changed: root(more)}}
		n, err := p.NearAt(t.Context(), original, changed, nil)
		if err != nil || (n.Difference == nil) != near || len(n.Tried) != 3 || n.Outputs[0].Silent != "" {
			t.Errorf("%v more: got %+v, %v", more, n, err)
		}
	}
}

// A changed model that does not run is not near; an original that does not is unproved.
func TestNearNotRun(t *testing.T) {
	original, changed := nearModels(t)
	fails := func(graphops.Feeds) (map[string]graphops.Value, error) { return nil, errors.New("no kernel") }
	p := proof.Prover{Runner: runner{original: plus(t, func([]float32, int) float32 { return 0 }), changed: fails}}
	n, err := p.NearAt(t.Context(), original, changed, nil)
	if err != nil || n.Difference == nil || n.Difference.String() != "does not run: no kernel" {
		t.Errorf("got %+v, %v", n, err)
	}
	if _, err = p.NearAt(t.Context(), changed, original, nil); !proof.IsUnproved(err) {
		t.Errorf("got %v", err)
	}
}

// Equal bits of values that could not differ prove nothing about a change of axes either.
func TestSameShowsNothing(t *testing.T) {
	original, changed := nearModels(t)
	for name, v := range map[string]graphops.Value{
		"nothing but NaN": value([]float32{nan, nan}, 2),
		"no elements":     value(nil, 0, 8),
	} {
		t.Run(name, func(t *testing.T) {
			p := proof.Prover{Runner: runner{original: gives(v), changed: gives(v)}}
			if _, err := p.SameAt(t.Context(), original, changed, nil, nil); !proof.IsUnproved(err) {
				t.Errorf("got %v", err)
			}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if err != nil || n.Proved() {
				t.Errorf("got %+v, %v", n, err)
			}
		})
	}
}

// An original that only optimizations make run is judged by nothing, and the reason says so.
func TestNearOnlyOptimized(t *testing.T) {
	original, changed := nearModels(t)
	fails := func(graphops.Feeds) (map[string]graphops.Value, error) { return nil, errors.New("no kernel") }
	same := plus(t, func([]float32, int) float32 { return 0 })
	for optimized, want := range map[string]string{
		"runs":  "not proved: the original runs only as ONNX Runtime optimizes it",
		"fails": "not proved: the original does not run on generated inputs: no kernel",
	} {
		p := proof.Prover{Runner: runner{original: fails, changed: same}, Optimized: runner{original: map[string]program{"runs": same, "fails": fails}[optimized]}}
		if _, err := p.NearAt(t.Context(), original, changed, nil); !proof.IsUnproved(err) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", optimized, err)
		}
	}
}

// A change that has made a number of a free size is found at another size.
func TestNearOtherSizes(t *testing.T) {
	const text = "input x f32[n,4]\ny = Identity(x)\noutput y f32[n,4]"
	original, changed := graphtest.Model(t, text), graphtest.Model(t, text)
	frozen := doubled(t, func(rows int64, y []float32) {
		if rows != 2 {
			y[0]++
		}
	})
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: frozen}}
	n, err := p.NearAt(t.Context(), original, changed, nil)
	if err != nil || n.Difference == nil || n.Difference.Sizes["n"] != 3 {
		t.Errorf("got %+v, %v", n, err)
	}
}

// Outputs that no number of an input reaches are shown by equal bits, also where all elements are
// the same.
func TestNearFixedOutputs(t *testing.T) {
	for name, c := range map[string]struct {
		nodes string
		shown bool
	}{
		"a constant":       {"init c f32[8] 1\ny = Identity(c)", true},
		"sizes":            {"s = Shape(x)\ny = Cast(s) to=1", true},
		"filled":           {"init n i64[1] 8\ny = ConstantOfShape(n)", true},
		"filled as asked":  {"i = Cast(x) to=7\ny = ConstantOfShape(i)", true},
		"of an input":      {"y = Relu(x)", false},
		"of one in a body": {"init t bool[] 1\ny = If(t) then_branch=@b else_branch=@b", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := "graph b\nz = Relu(x)\noutput z f32[8]\nend\ninput x f32[8]\n" + c.nodes + "\noutput y f32[8]"
			original, changed := graphtest.Model(t, text), graphtest.Model(t, text)
			ones := gives(value(slices.Repeat([]float32{1}, 8), 8))
			p := proof.Prover{Runner: runner{original: ones, changed: ones}}
			n, err := p.NearAt(t.Context(), original, changed, nil)
			if err != nil || n.Proved() != c.shown {
				t.Errorf("got %+v, %v", n, err)
			}
		})
	}
}
