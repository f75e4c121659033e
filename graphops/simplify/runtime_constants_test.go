//go:build cgo

package simplify_test

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/simplify"
	"lathe/session/proof"
	"lathe/session/sessiontest"
)

// TestSimplifyConstants lets ONNX Runtime compute constants ahead, and removes branches that are not
// taken and sequences that are not needed. The bits of all outputs must stay the same.
func TestSimplifyConstants(t *testing.T) {
	w := sessiontest.Workers(t)
	for name, c := range map[string]struct {
		text   string
		growth int64
		want   []string
		warn   string
		refuse string
	}{
		"arithmetic": {text: `
			input x f32[n,2]
			init a f32[2,3] 1 2 3 4 5 6
			init b f32[3,2] .1 .2 .3 .4 .5 .6
			c = MatMul(a, b)
			d = Erf(c)
			e = Transpose(d)
			y = MatMul(x, e)
			output y f32[n,2]`, want: []string{"y = MatMul(x, e)"}},
		"an output": {text: `
			input x f32[n]
			init a f32[2] 1 2
			y = Exp(a)
			z = Relu(x)
			output y f32[2]
			output z f32[n]`, want: []string{"z = Relu(x)"}},
		"an output of IR version 3": {text: `
			ir 3
			input x f32[n]
			input a f32[2]
			init a f32[2] 1 2
			y = Exp(a)
			z = Relu(x)
			output y f32[2]
			output z f32[n]`, want: []string{"z = Relu(x)"}},
		"a constant that can be replaced": {text: `
			input x f32[2]
			input a f32[2]
			init a f32[2] 1 2
			b = Exp(a)
			y = Add(x, b)
			output y f32[2]`, want: []string{"b = Exp(a)", "y = Add(x, b)"}},
		"strings": {text: `
			opset 20
			input x str[n]
			init a str[2] 'ab' 'cd'
			init b str[1] 'ef'
			c = StringConcat(a, b)
			d = Concat(x, c) axis=0
			output d str`, want: []string{"d = Concat(x, c) axis=0"}},
		"growth": {text: `
			input x f32[1000]
			init a f32[1] 2
			init s i64[1] 1000
			b = Exp(a)
			c = Tile(b, s)
			y = Add(x, c)
			output y f32[1000]`, growth: 3987, want: []string{"c = Tile(b, s)", "y = Add(x, c)"}, refuse: "4000 bytes"},
		"growth that is allowed": {text: `
			input x f32[1000]
			init a f32[1] 2
			init s i64[1] 1000
			b = Exp(a)
			c = Tile(b, s)
			y = Add(x, c)
			output y f32[1000]`, growth: 3988, want: []string{"y = Add(x, c)"}},
		"large on the way": {text: `
			input x f32[1]
			init a f32[1] 2
			init s i64[2] 1000 1000
			b = Expand(a, s)
			c = ReduceMax(b) keepdims=0
			y = Add(x, c)
			output y f32[1]`, growth: 100, want: []string{"y = Add(x, c)"}},
		"more than there is": {text: `
			input x f32[1]
			init s i64[2] 1000000 1000000
			b = ConstantOfShape(s)
			c = ReduceMax(b) keepdims=0
			y = Add(x, c)
			output y f32[1]`, want: []string{"b = ConstantOfShape(s)", "c = ReduceMax(b) keepdims=0", "y = Add(x, c)"}, refuse: "computed in advance"},
		"quantized weights": {text: `
			input x f32[n,2]
			init q i8[2,2] 1 2 3 4
			init s f32[] .5
			w = DequantizeLinear(q, s)
			y = MatMul(x, w)
			output y f32[n,2]`, want: []string{"w = DequantizeLinear(q, s)", "y = MatMul(x, w)"}},
		"drawn at random": {text: `
			input x f32[n]
			init p f32[1] .5
			b = Bernoulli(p)
			c = Shape(x)
			d = Expand(b, c)
			e = Mul(d, p)
			f = Sub(e, e)
			output f f32[n]`, want: []string{"b = Bernoulli(p)", "c = Shape(x)", "d = Expand(b, c)", "e = Mul(d, p)", "f = Sub(e, e)"}},
		"one that does not run": {text: `
			input x f32[n,2]
			init a f32[2] 1 2
			init i i64[1] 7
			init b f32[2] 3 4
			graph then
			g = Gather(a, i)
			gg = Add(g, g)
			t = Add(x, gg)
			output t f32
			end
			graph else
			d = Exp(b)
			h = Neg(d)
			e = Add(x, h)
			output e f32
			end
			init no bool[1] 0
			ff = Flatten(x)
			s = ReduceSum(ff) keepdims=0
			zero = Sub(s, s)
			cond = Greater(s, s)
			y = If(cond) then_branch=@then else_branch=@else
			output y f32[n,2]`, refuse: "does not run"},
		"a branch": {text: `
			input x f32[2]
			init c bool[1] 1
			graph then
			a = Exp(x)
			t = Neg(a)
			output t f32[2]
			end
			graph else
			a = Abs(x)
			e = Log(a)
			output e f32[2]
			end
			y = If(c) then_branch=@then else_branch=@else
			init d bool[] 0
			graph then2
			a = Sin(x)
			t = Neg(a)
			output t f32[2]
			end
			graph else2
			a = Cos(y)
			e = Neg(a)
			output e f32[2]
			end
			z = If(d) then_branch=@then2 else_branch=@else2
			output z f32[2]`, want: []string{"a__1 = Exp(x)", "t__1 = Neg(a__1)", "a__2 = Cos(t__1)", "z = Neg(a__2)"}},
		"a branch that gives what is around it": {text: `
			input x f32[2]
			init c bool[] 0
			graph then
			t = Exp(x)
			output t f32[2]
			end
			graph else
			e = Identity(x)
			output e f32[2]
			end
			y = If(c) then_branch=@then else_branch=@else
			output y f32[2]`, want: []string{"y = Identity(x)"}},
		"sequences": {text: `
			input x f32[2,n]
			init one i64[] 1
			init minus i64[] -1
			a = Neg(x)
			s = SequenceConstruct(x, a)
			b = Exp(x)
			u = SequenceInsert(s, b, one)
			p = SequenceAt(u, one)
			q = SequenceAt(u, minus)
			k = SequenceLength(u)
			c = ConcatFromSequence(u) axis=1
			m = SplitToSequence(x) axis=0
			r = SequenceAt(m, minus)
			o = SplitToSequence(x) axis=0 keepdims=0
			v = SequenceAt(o, one)
			output p f32
			output q f32
			output k i64[]
			output c f32
			output r f32
			output v f32`, want: []string{"q = Neg(x)", "p = Exp(x)", "c = Concat(x, p, q) axis=1", "m_Split, r = Split(x, m_sizes) axis=0", "v = Gather(x, one) axis=0"}},
		"states that are zeros": {text: `
			input x f32[5,n,2]
			init w f32[1,16,2] .1 .2 -.3
			init r f32[1,16,4] .2 -.1 .4
			init one i64[1] 1
			init four i64[1] 4
			a = Shape(x)
			d = Gather(a, one)
			c = Concat(one, d, four) axis=0
			h = ConstantOfShape(c)
			y, z, e = LSTM(x, w, r, , , h, h) hidden_size=4
			output y f32
			output e f32`, want: []string{"y, z, e = LSTM(x, w, r) hidden_size=4"}},
		"a sequence with another position for each run": {text: `
			input x f32[n]
			input i i64[]
			s = SequenceConstruct(x, x)
			p = SequenceAt(s, i)
			output p f32[n]`, want: []string{"s = SequenceConstruct(x, x)", "p = SequenceAt(s, i)"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, c.text)
			if c.growth == 0 {
				c.growth = simplify.DefaultMaxGrowth
			}
			out, r, err := simplify.Simplify(t.Context(), m, simplify.Options{Runner: w, MaxGrowth: c.growth})
			if err != nil {
				t.Fatal(err)
			}
			if got := graphtest.Nodes(out.Graph()); c.want != nil && !slices.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
			if c.refuse != "" && !refuses(r, c.refuse) {
				t.Errorf("no pass reports %q", c.refuse)
			}
			if name != "more than there is" {
				sameBits(t, w, m, out)
			}
			if again, second, err := simplify.Simplify(t.Context(), out, simplify.Options{Runner: w, MaxGrowth: c.growth}); err != nil || again != out && second.Changed() {
				t.Errorf("a second run changes something: %v", err)
			}
		})
	}
}

func refuses(r *simplify.Report, why string) bool {
	for _, p := range r.Passes {
		for _, x := range p.Refused {
			if strings.Contains(x.Why, why) {
				return true
			}
		}
	}
	return false
}

func sameBits(t *testing.T, w execution.Runner, m, out *graphops.Model) {
	t.Helper()
	p := proof.Prover{Runner: w, Seeds: 1}
	s, err := p.SameAt(t.Context(), m, out, map[string]int64{"n": 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Difference != nil {
		t.Error(s.Difference)
	}
}

// TestSimplifyConstantsWithoutRuntime: without a runtime the report says what was left.
func TestSimplifyConstantsWithoutRuntime(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2]
		init a f32[2] 1 2
		b = Exp(a)
		y = Add(x, b)
		output y f32[2]`)
	out, r, err := simplify.Simplify(t.Context(), m, simplify.Options{MaxGrowth: simplify.DefaultMaxGrowth})
	if err != nil {
		t.Fatal(err)
	}
	if out != m || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1 node") {
		t.Errorf("warnings are %q", r.Warnings)
	}
}
