package shape_test

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// TestBelieve sets declarations of the value y against what the graph makes.
func TestBelieve(t *testing.T) {
	for _, c := range []struct{ name, text, want, denied string }{
		{"a number for a free axis", "input x f32[n,4]\noutput y f32[1,4]\ny = Relu(x)", "f32[n,4]", "right only if n = 1"},
		{"an axis without a symbol", "input x f32[?,4]\noutput y f32[1,4]\ny = Relu(x)", "f32[x:0,4]", "right only if x:0 = 1"},
		{"a placeholder", "input x f32[None,4]\noutput y f32[1,4]\ny = Relu(x)", "f32[x:0,4]", "right only if x:0 = 1"},
		{"another number", "input x f32[2,4]\noutput y f32[3,4]\ny = Relu(x)", "f32[2,4]", "axis 0 is 2 and 3"},
		{"another rank", "input x f32[n,4]\noutput y f32[4]\ny = Relu(x)", "f32[n,4]", "ranks 2 and 1"},
		{"another type", "input x f32[n,4]\noutput y f16[n,4]\ny = Relu(x)", "f32[n,4]", "the types differ"},
		{"the symbol of another axis", "input x f32[n,m]\noutput y f32[m,n]\ny = Relu(x)", "f32[n,m]", "right only if n = m"},
		{"an expression", "input x f32[n,4]\ninput z f32[m,4]\noutput y f32[2*n,4]\ny = Concat(x, z) axis=0", "f32[m+n,4]", "right only if m+n = 2*n"},
		{"one of those that it chooses", "input x f32[n,4]\ninput z f32[m,4]\noutput y f32[m,4]\ny = Add(x, z)", "f32[m,4]", ""},
		{"a name", "input x f32[n,4]\noutput y f32[rows,4]\ny = Relu(x)", "f32[rows,4]", ""},
		{"a name in an expression", "input x f32[n,4]\noutput y f32[rows+1,4]\ny = Relu(x)", "f32[rows+1,4]", ""},
		{"nothing", "input x f32[n,4]\noutput y\ny = Relu(x)", "f32[n,4]", ""},
		{"no rank", "input x f32[n,4]\noutput y f32\ny = Relu(x)", "f32[n,4]", ""},
		{"an open axis", "input x f32[n,4]\noutput y f32[?,4]\ny = Relu(x)", "f32[n,4]", ""},
		{"more than the graph", "input x f32[n,4]\noutput y i64[2,k]\ny = NonZero(x)", "i64[2,k]", ""},
		{"a number that the graph does not know", "input x f32[n,4]\noutput y i64[2,5]\ny = NonZero(x)", "i64[2,5]", ""},
		{"a number that always is", "input x f32[n,4]\noutput y i64[1]\ninit a i64[1] 0\ninit b i64[1] 1\ns = Shape(x)\ny = Slice(s, a, b)", "i64[1]", ""},
		{"a number that another node demands", "input x f32[n,4]\noutput y f32[4,3]\noutput z f32[4,2]\ninit w f32[3,2] 1\ny = Transpose(x)\nz = MatMul(y, w)", "f32[4,3]", ""},
		{"an expression that another node demands", "input x f32[n,4]\ninput z f32[m,4]\noutput y f32[m,4]\noutput u f32[n,n]\nq = Transpose(z)\nu = MatMul(x, q)\ny = Relu(x)", "f32[n,4]", "right only if n = m"},
		{"a symbol that another node demands", "input x f32[n,4]\ninput z f32[m,n]\noutput y f32[m,4]\noutput u f32[n,n]\nq = Transpose(x)\nu = MatMul(q, z)\ny = Relu(x)", "f32[m,4]", ""},
		{"a sequence", "input x f32[n,4]\noutput y\ny = SequenceConstruct(x)", "seq(f32[n,4])", ""},
		{"a declared initializer", "input x f32[n,4]\nvalue y f32[7]\ninit y f32[4] 1\noutput z f32[n,4]\nz = Add(x, y)", "f32[4]", "axis 0 is 4 and 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := graphtest.Model(t, strings.TrimSpace(c.text))
			r, err := shape.Infer(t.Context(), m, shape.Options{NameAxes: true})
			if err != nil {
				t.Fatal(err)
			}
			main := m.Places()[0]
			id, _ := main.Graph.Index().Value("y")
			b := r.Believe(main, id, main.Type(id))
			if got := b.Type.Declaration(); got != c.want || b.Denied != c.denied {
				t.Errorf("%s %q, want %s %q", got, b.Denied, c.want, c.denied)
			}
			if file := r.ForFile(b).Declaration(); file != strings.ReplaceAll(c.want, "x:0", "?") {
				t.Errorf("%s for a file, want %s without names of axes", file, c.want)
			}
		})
	}
}

// TestBelieveInput has an input whose type nobody but the file tells, and one of a body,
// which its node feeds.
func TestBelieveInput(t *testing.T) {
	m := graphtest.Model(t, `
		graph body
		input i i64[]
		input c bool[]
		input s f32[1,4]
		output c bool[]
		output u f32[1,4]
		u = Relu(s)
		end
		input x f32[n,4]
		output y f32[n,4]
		init k i64[] 3
		y = Loop(k, , x) body=@body`)
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"x": "f32[n,4]", "s": "f32[n,4]", "u": "f32[n,4]"} {
		p := m.Places()[0]
		if name != "x" {
			p = m.Places()[1]
		}
		id, _ := p.Graph.Index().Value(name)
		if got := r.Believe(p, id, p.Type(id)).Type.Declaration(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestBelieveCompletes covers declarations that say a part.
func TestBelieveCompletes(t *testing.T) {
	seq := graphops.Type{Kind: graphops.TypeSequence}
	for _, c := range []struct {
		name     string
		declared graphops.Type
		made     string
		want     string
		filled   bool
	}{
		{"nothing", graphops.Type{}, "f32[n,3]", "f32[n,3]", true},
		{"no shape", graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}, "f32[n,3]", "f32[n,3]", true},
		{"all", graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.Shape{graphops.SymbolDim("n")}}, "f32[n]", "f32[n]", false},
		{"another kind", seq, "f32[n]", "f32[n]", false},
	} {
		m := graphtest.Model(t, "input x "+c.made+"\noutput y\ny = Relu(x)")
		r, err := shape.Infer(t.Context(), m, shape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Places()[0]
		id, _ := p.Graph.Index().Value("y")
		if b := r.Believe(p, id, c.declared); b.Type.Declaration() != c.want || b.Filled != c.filled {
			t.Errorf("%s: %s %v, want %s %v", c.name, b.Type.Declaration(), b.Filled, c.want, c.filled)
		}
	}
}

// TestBelieveSpelled has a declared symbol that is spelled as a number.
func TestBelieveSpelled(t *testing.T) {
	one := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.Shape{graphops.SymbolDim("1"), graphops.FixedDim(4)}}
	for input, denied := range map[string]string{"f32[n,4]": "right only if n = 1", "f32[1,4]": "", "f32[2,4]": "axis 0 is 2 and 1"} {
		m := graphtest.Model(t, "input x "+input+"\noutput y\ny = Relu(x)")
		r, err := shape.Infer(t.Context(), m, shape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Places()[0]
		id, _ := p.Graph.Index().Value("y")
		if b := r.Believe(p, id, one); b.Denied != denied {
			t.Errorf("%s: %q, want %q", input, b.Denied, denied)
		}
	}
}
