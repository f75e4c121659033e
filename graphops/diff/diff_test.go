package diff_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
)

// TestEqualInMeaning compares models that differ in what means nothing, and says so.
func TestEqualInMeaning(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		notes      diff.Notes
	}{
		{
			"a default written out",
			"y = LeakyRelu(x) alpha=0.01", "y = LeakyRelu(x)",
			diff.Notes{Defaults: 1},
		},
		{
			"a kernel that the weight's shape tells",
			"init s i64[4] 1 1 1 2\ninit w f32[1,1,1,2] 1\na = Reshape(x, s)\ny = Conv(a, w) kernel_shape=[1,2] strides=[1,1] pads=[0,0,0,0] dilations=[1,1]",
			"init s i64[4] 1 1 1 2\ninit w f32[1,1,1,2] 1\na = Reshape(x, s)\ny = Conv(a, w)",
			diff.Notes{Defaults: 4},
		},
		{
			"axes reversed, which they are without a word",
			"init s i64[2] 1 2\na = Reshape(x, s)\ny = Transpose(a) perm=[1,0]", "init s i64[2] 1 2\na = Reshape(x, s)\ny = Transpose(a)",
			diff.Notes{Defaults: 1},
		},
		{
			"what a zero would mean",
			"init s i64[2] 1 2\ny = Reshape(x, s) allowzero=0", "init s i64[2] 1 2\ny = Reshape(x, s) allowzero=1",
			diff.Notes{Defaults: 1},
		},
		{
			"a constant as a node",
			"init w f32[2] 1 2\ny = Mul(x, w)", "w = Constant() value={f32[2] 1 2}\ny = Mul(x, w)",
			diff.Notes{Stored: 1},
		},
		{
			"a scalar as a number",
			"init w f32[] 1\ny = Mul(x, w)", "w = Constant() value_float=1.0\ny = Mul(x, w)",
			diff.Notes{Stored: 1},
		},
		{
			"operands swapped",
			"a = Exp(x)\nb = Log(x)\ny = Add(a, b)", "a = Exp(x)\nb = Log(x)\ny = Add(b, a)",
			diff.Notes{Swapped: 1},
		},
		{
			"a constant operand swapped",
			"init w f32[] 1\ny = Mul(x, w)", "init w f32[] 1\ny = Mul(w, x)",
			diff.Notes{Swapped: 1},
		},
		{
			"copies of a constant",
			"init w f32[2] 1 2\na = Sub(x, w)\ny = Div(a, w)", "init w f32[2] 1 2\ninit v f32[2] 1 2\na = Sub(x, w)\ny = Div(a, v)",
			diff.Notes{Shared: 1},
		},
		{
			"another order",
			"a = Exp(x)\nb = Log(x)\ny = Sub(a, b)", "b = Log(x)\na = Exp(x)\ny = Sub(a, b)",
			diff.Notes{Reordered: 1},
		},
		{
			"a constant that nothing reads",
			"init w f32[2] 1 2\ny = Exp(x)", "y = Exp(x)",
			diff.Notes{Unused: 1},
		},
		{
			"a constant listed as an input",
			"input w f32[2]\ninit w f32[2] 1 2\ny = Mul(x, w)", "init w f32[2] 1 2\ny = Mul(x, w)",
			diff.Notes{Listed: 1},
		},
		{
			"a type told by one",
			"value a f32[2]\na = Exp(x)\ny = Log(a)", "a = Exp(x)\ny = Log(a)",
			diff.Notes{Typed: 1},
		},
		{
			"other symbols inside",
			"value a f32[n]\na = Exp(x)\ny = Log(a)", "value a f32[m]\na = Exp(x)\ny = Log(a)",
			diff.Notes{},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := inOut(t, c.a), inOut(t, c.b)
			d := compare(t, a, b)
			if !d.Equal {
				t.Errorf("not equal:%s", summary(d))
			}
			if got := fmt.Sprintf("%+v", d.Notes); got != fmt.Sprintf("%+v", c.notes) {
				t.Errorf("notes are\n%s, want\n%+v", got, c.notes)
			}
			if d.Identical != (fmt.Sprint(c.notes) == fmt.Sprint(diff.Notes{})) {
				t.Errorf("identical is %v", d.Identical)
			}
			if back := compare(t, b, a); fmt.Sprint(back.Notes) != fmt.Sprint(d.Notes) || !back.Equal {
				t.Errorf("the other way round: %v %+v", back.Equal, back.Notes)
			}
		})
	}
}

// inOut is a model from x to y.
func inOut(t testing.TB, body string) *graphops.Model {
	return graphtest.Model(t, "input x f32[2]\n"+body+"\noutput y f32[2]\n")
}

// TestDifferent compares models that differ in one thing that matters.
func TestDifferent(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"an axis", "y = Softmax(x) axis=0", "y = Softmax(x)", "attribute=1"},
		{"an operator", "a = Exp(x)\nb = Relu(a)\ny = Log(b)", "1 = Exp(x)\n2 = Elu(1)\ny = Log(2)", "op=1"},
		{"another kernel", "init w f32[1,1,2] 1\ny = Conv(x, w) kernel_shape=[2]", "init w f32[1,1,2] 1\ny = Conv(x, w) kernel_shape=[3]", "attribute=1"},
		{"a kernel that is not the weight's", "init w f32[1,1,2] 1\ny = Conv(x, w) kernel_shape=[3]", "init w f32[1,1,2] 1\ny = Conv(x, w)", "attribute=1"},
		{"strides", "init w f32[1,1,2] 1\ny = Conv(x, w) strides=[2]", "init w f32[1,1,2] 1\ny = Conv(x, w)", "attribute=1"},
		{"what a zero means", "init s i64[2] 0 2\ny = Reshape(x, s) allowzero=0", "init s i64[2] 0 2\ny = Reshape(x, s) allowzero=1", "attribute=1"},
		{"operands swapped", "a = Exp(x)\nb = Log(x)\ny = Sub(a, b)", "a = Exp(x)\nb = Log(x)\ny = Sub(b, a)", "input=2"},
		{"a copy of a constant instead", "init w f32[2] 1 2\nc = Identity(w)\na = Exp(x)\nb = Log(c)\ny = Mul(a, x)\nz = Sub(y, b)\noutput z f32[2]", "init w f32[2] 1 2\nc = Identity(w)\na = Exp(x)\nb = Log(c)\ny = Mul(c, x)\nz = Sub(y, b)\noutput z f32[2]", "input=1"},
		{"an input left out", "init l f32[] 0\ny = Clip(x, l)", "init l f32[] 0\ny = Clip(x, , l)", "input=2"},
		{"sizes", "init s i64[1] 2\ny = Reshape(x, s)", "init s i64[1] -1\ny = Reshape(x, s)", "weight=1 elements=1"},
		{"another constant of those there", "init v f32[2] 1 2\ninit w f32[2] 3 4\na = Sub(x, v)\ny = Div(a, w)", "init v f32[2] 1 2\ninit w f32[2] 3 4\na = Sub(x, v)\ny = Div(a, v)", "input=1"},
		{"a constant's type", "init w f32[2] 1 2\ny = Mul(x, w)", "init w f16[2] 1 2\ny = Mul(x, w)", "weight=1"},
		{"a constant's shape", "init w f32[2] 1 2\ny = Mul(x, w)", "init w f32[1] 1\ny = Mul(x, w)", "weight=1"},
		{"a text", "y = Foo(x) mode='a'", "y = Foo(x) mode='b'", "attribute=1"},
		{"a tensor of an attribute", "init s i64[1] 2\na = ConstantOfShape(s) value={f32[1] 1}\ny = Mul(x, a)", "init s i64[1] 2\na = ConstantOfShape(s) value={f32[1] 2}\ny = Mul(x, a)", "attribute=1"},
		{"an inner type", "value a f32[2]\na = Exp(x)\ny = Log(a)", "value a f32[3]\na = Exp(x)\ny = Log(a)", "types=1"},
		{"an output from elsewhere", "a = Exp(x)\ny = Log(x)\nz = Exp(y)\noutput z f32[2]", "a = Exp(x)\nb = Log(x)\nz = Exp(b)\ny = Identity(a)\noutput z f32[2]", "added=1 io follows=1"},
		{"one more output", "y = Log(x)", "y = Log(x)\nz = Exp(y)\noutput z f32[2]", "added=1 io added=1"},
		{"one more input", "y = Log(x)", "input z f32[2]\ny = Log(x)", "io added=1"},
		{"other order of inputs", "input u f32[2]\ny = Sub(x, u)", "y = Sub(x, u)\ninput u f32[2]", ""},
		{"an input with a default", "input u f32[2]\ny = Sub(x, u)", "input u f32[2]\ninit u f32[2] 1 2\ny = Sub(x, u)", "input=1 io optional=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := inOut(t, c.a), inOut(t, c.b)
			d := compare(t, a, b)
			if got := ignoring(tally(d), "weight=1 "); got != c.want && tally(d) != c.want {
				t.Errorf("told %q, want %q:%s", tally(d), c.want, summary(d))
			}
			if d.Equal != (c.want == "") {
				t.Errorf("equal is %v", d.Equal)
			}
		})
	}
}

// ignoring drops a word that may be beside the one that matters.
func ignoring(tally, word string) string {
	if strings.HasPrefix(tally, word+"elements") {
		return tally
	}
	return strings.TrimPrefix(tally, word)
}

// TestMatch gives the values of a model and of what became of it.
func TestMatch(t *testing.T) {
	a := inOut(t, "init w f32[2] 1 2\np = Exp(x)\nq = Relu(p)\ny = Mul(q, w)")
	b := inOut(t, "init 1 f32[2] 1 2\n2 = Exp(x)\n4 = Sin(2)\n3 = Relu(4)\ny = Mul(3, 1)")
	m, err := diff.Match(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	p := m[0]
	var got []string
	for _, v := range p.Values {
		got = append(got, fmt.Sprintf("%s=%s %s", a.Graph().Index().Name(v.A), b.Graph().Index().Name(v.B), v.How))
	}
	slices.Sort(got)
	want := []string{"p=2 structure", "q=3 structure", "w=1 neighbours", "x=x interface", "y=y structure"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestReplacedOperator: of the nodes that replace a node, the one that computes its output under the
// same name is its partner.
func TestReplacedOperator(t *testing.T) {
	const ports = "input x f32[3]\ninput y f32[3]\noutput z bool[3]\n"
	a := graphtest.Model(t, ports+"z = GreaterOrEqual(x, y)")
	b := graphtest.Model(t, ports+"g = Greater(x, y)\ne = Equal(x, y)\nz = Or(g, e)")
	if got, want := tally(compare(t, a, b)), "added=2 follows=2 op=1"; got != want {
		t.Errorf("reported %q, expected %q", got, want)
	}
}

// TestBrokenModels compares models with cycles, names that nothing defines, and
// constants that cannot be read.
func TestBrokenModels(t *testing.T) {
	for _, text := range []string{
		"input x f32[2]\na = Add(x, b)\nb = Relu(a)\noutput b f32[2]\n",
		"input x f32[2]\na = Add(x, nowhere)\noutput missing f32[2]\n",
		"input x f32[2]\na = Exp(x)\na = Log(x)\noutput a f32[2]\n",
		"input x f32[2]\na = Softmax(x) axis=0 axis=1\noutput a f32[2]\n",
		"function l F(a) -> (b)\nb = l::F(a)\nend\nopset l 1\ninput x f32[2]\ny = l::F(x)\noutput y f32[2]\n",
	} {
		m := graphtest.Model(t, text)
		if d := compare(t, m, m); !d.Identical {
			t.Errorf("%q is not identical with itself:%s", text, summary(d))
		}
		compare(t, m, inOut(t, "y = Exp(x)"))
		compare(t, inOut(t, "y = Exp(x)"), m)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := chain(t, 10)
	if _, err := diff.Compare(ctx, m, m, diff.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLargeConstants are compared by their first bytes unless all are asked for.
func TestLargeConstants(t *testing.T) {
	text := "init w f32[3000] 1\na = Mul(x, w)\ny = Exp(a)"
	a := inOut(t, text)
	w := a.Graph().Initializers()[0]
	data, err := w.Data()
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := data.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	changed := func(element int) *graphops.Model {
		b := slices.Clone(bytes)
		b[element*4+2] ^= 0x40
		return edited(a, a.Places()[0], func(e *graphops.GraphEditor) {
			e.Initializers[0] = graphops.NewTensor("w", w.DType(), w.Dims(), graphops.BytesPayload(b))
		})
	}
	for _, c := range []struct {
		element int
		weights bool
		whole   int64
		equal   bool
		partial int
	}{
		{5, false, -1, false, 0},
		{5, true, -1, false, 0},
		{2000, false, 23999, true, 1},
		{2000, true, -1, false, 0},
		{2000, false, 24000, false, 0},
		{2000, false, 0, false, 0},
	} {
		heard := int64(0)
		d, err := diff.Compare(t.Context(), a, changed(c.element), diff.Options{Weights: c.weights, WholeBytes: c.whole, Progress: func(done, total int64) { heard = total }})
		if err != nil {
			t.Fatal(err)
		}
		if d.Equal != c.equal || d.Notes.Partial != c.partial {
			t.Errorf("%+v: equal %v, %d by their first bytes", c, d.Equal, d.Notes.Partial)
		}
		if d.Identical {
			t.Errorf("%+v: said to be identical", c)
		}
		c.weights = c.weights || !c.equal && c.whole >= 0
		if c.weights && (len(d.Weights) != 1 || d.Weights[0].Metrics == nil || d.Weights[0].Metrics.Mismatched != 1 || d.Weights[0].Metrics.Worst.Index[0] != int64(c.element)) {
			t.Errorf("%+v: told %+v", c, d.Weights)
		}
		if c.weights && heard != 24000 {
			t.Errorf("%+v: progress is of %d bytes", c, heard)
		}
	}
}
