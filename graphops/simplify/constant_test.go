package simplify

import (
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// after is a table of models and of the nodes that their main graphs have when they
// are simplified by these passes alone.
type after map[string]struct {
	text string
	want []string
}

func (cases after) run(t *testing.T, only ...*pass) {
	t.Helper()
	o := onlyPasses(append(only, deadCode)...)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out, _ := simplified(t, graphtest.Model(t, c.text), o)
			if got := graphtest.Nodes(out.Graph()); !slices.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

func constantsOf(g *graphops.Graph) []string {
	var out []string
	for _, t := range g.Initializers() {
		out = append(out, t.Name())
	}
	return out
}

func TestKnownValues(t *testing.T) {
	after{
		"the shape of a fixed value": {`
			input x f32[2,3]
			s = Shape(x)
			r = Relu(x)
			y = Reshape(r, s)
			output y f32[2,3]`, []string{"r = Relu(x)", "y = Reshape(r, s)"}},
		"the fixed part of a shape": {`
			input x f32[n,3]
			init i i64[] 1
			s = Shape(x)
			d = Gather(s, i)
			y = Expand(d, s)
			output y i64[n,3]`, []string{"s = Shape(x)", "y = Expand(d, s)"}},
		"an output": {`
			input x f32[2,3]
			s = Shape(x)
			output s i64[2]`, nil},
		"a size that is a symbol": {`
			input x f32[n,3]
			s = Shape(x)
			output s i64[2]`, []string{"s = Shape(x)"}},
		"a shape from a constant that can be replaced": {`
			input x f32[6]
			input s i64[2]
			init s i64[2] 2 3
			y = Reshape(x, s)
			z = Shape(y)
			t = Identity(s)
			output y f32
			output z i64
			output t i64[2]`, []string{"y = Reshape(x, s)", "z = Shape(y)", "t = Identity(s)"}},
	}.run(t, knownValues)
}

func TestConstantViews(t *testing.T) {
	after{
		"a chain": {`
			input x f32[4]
			init w f32[2,2] 1 2 3 4
			init s i64[1] 4
			a = Reshape(w, s)
			b = Identity(a)
			y = Add(x, b)
			output y f32[4]`, []string{"y = Add(x, b)"}},
		"elements that change places": {`
			input x f32[2,2]
			init w f32[2,2] 1 2 3 4
			a = Transpose(w)
			y = Add(x, a)
			output y f32[2,2]`, []string{"a = Transpose(w)", "y = Add(x, a)"}},
		"another shape for each size": {`
			input x f32[n,2]
			init w f32[2,2] 1 2 3 4
			s = Shape(x)
			a = Reshape(w, s)
			y = Add(x, a)
			output y f32[n,2]`, []string{"s = Shape(x)", "a = Reshape(w, s)", "y = Add(x, a)"}},
		"no elements": {`
			input x f32[0,2]
			init w f32[2,0]
			init s i64[2] 0 2
			a = Reshape(w, s) allowzero=1
			y = Add(x, a)
			output y f32[0,2]`, []string{"y = Add(x, a)"}},
		"a function of the model that has the name": {`
			input x f32[4]
			init w f32[4] 1 2 3 4
			function ai.onnx Identity(a) -> (b)
			b = Neg(a)
			end
			a = Identity(w)
			y = Add(x, a)
			output y f32[4]`, []string{"a = Identity(w)", "y = Add(x, a)"}},
	}.run(t, constantViews)
}

// A weight that is read in two shapes is stored twice only within the growth that is
// allowed; the shape, which nothing else reads, goes.
func TestConstantViewsGrow(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[10,10]
		init w f32[100] 1
		init s i64[2] 10 10
		a = Reshape(w, s)
		b = Relu(w)
		y = Add(x, a)
		output y f32[10,10]
		output b f32[100]`)
	out, _ := simplified(t, m, Options{MaxGrowth: 383})
	if got := len(out.Graph().Nodes()); got != 3 {
		t.Errorf("%d nodes within 383 bytes, want 3", got)
	}
	out, _ = simplified(t, m, Options{MaxGrowth: 400})
	if got := len(out.Graph().Nodes()); got != 2 {
		t.Errorf("%d nodes within 400 bytes, want 2", got)
	}
}

func TestEqualConstants(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string
	}{
		"bits": {`
			input x f32[2]
			init a f32[2] 1 2
			init b f32[2] 1 2
			init c f32[2] 1 3
			init d f32[2,1] 1 2
			init e i32[2] 1 2
			p = Add(x, a)
			q = Add(p, b)
			r = Add(q, c)
			s = Add(r, d)
			t = Cast(e) to=1
			output s f32
			output t f32[2]`, []string{"a", "c", "d", "e"}},
		"0 and -0": {`
			input x f32[1]
			init a f32[1] 0
			init b f32[1] -0
			p = Add(x, a)
			q = Add(p, b)
			output q f32[1]`, []string{"a", "b"}},
		"one that can be replaced": {`
			input x f32[1]
			input a f32[1]
			init a f32[1] 1
			init b f32[1] 1
			p = Add(x, a)
			q = Add(p, b)
			output q f32[1]`, []string{"a", "b"}},
		"one that is an output": {`
			input x f32[1]
			init a f32[1] 1
			init b f32[1] 1
			p = Add(x, a)
			q = Add(p, b)
			output q f32[1]
			output b f32[1]`, []string{"a", "b"}},
		"strings": {`
			input x str[1]
			init a str[1] 'ab'
			init b str[1] 'ab'
			init c str[1] 'ac'
			p = Equal(x, a)
			q = Equal(x, b)
			r = Equal(x, c)
			output p bool[1]
			output q bool[1]
			output r bool[1]`, []string{"a", "c"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var without []string
			for _, p := range passes {
				if p != equalConstants && !p.optional {
					without = append(without, p.name)
				}
			}
			out, _ := simplified(t, graphtest.Model(t, c.text), Options{Without: without})
			if got := constantsOf(out.Graph()); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A body reads the constant of the graph around it, and of two that are alike in
// their beginnings all is compared.
func TestEqualConstantsOfBodies(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1100]
		input c bool[]
		init w f32[1100] 1
		init v f32[1100] 1
		graph then
		init k f32[1100] 1
		t = Add(x, k)
		output t f32[1100]
		end
		graph else
		e = Add(x, v)
		output e f32[1100]
		end
		y = If(c) then_branch=@then else_branch=@else
		z = Add(y, w)
		output z f32[1100]`)
	out, _ := simplified(t, m, Options{})
	if got := constantsOf(out.Graph()); len(got) != 1 {
		t.Errorf("constants %q are left", got)
	}
	for g := range out.Graphs() {
		if g != out.Graph() && len(g.Initializers()) > 0 {
			t.Errorf("a body keeps %q", constantsOf(g))
		}
	}
}

func TestUnusedConstants(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1]
		input k f32[1]
		init k f32[1] 1
		init w f32[1] 1
		y = Relu(x)
		output y f32[1]`)
	out, r := simplified(t, m, Options{})
	if got := constantsOf(out.Graph()); !slices.Equal(got, []string{"k"}) {
		t.Errorf("constants %q are left", got)
	}
	if !r.Changed() {
		t.Error("it is not told")
	}
}

// A Constant node is told of once, and one of a function stays.
func TestConstantNodes(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1]
		function local F(a) -> (b)
		c = Constant() value_float=1.5
		b = Add(a, c)
		end
		k = Constant() value={f32[1] 2}
		y = Add(x, k)
		z = local::F(y)
		opset local 1
		output z f32[1]`)
	out, r := simplified(t, m, Options{})
	if got := graphtest.Nodes(out.Graph()); !slices.Equal(got, []string{"y = Add(x, k)", "z = local::F(y)"}) {
		t.Errorf("got %q", got)
	}
	told := 0
	for _, p := range r.Passes {
		if p.Name == "constant-nodes" {
			told = len(p.Changes)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}
