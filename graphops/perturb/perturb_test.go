package perturb_test

import (
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/perturb"
	"lathe/graphops/tensor"
)

// touchedIn are the values of a model, bodies included, that are multiplied by a factor: those that
// another node makes than in the original.
func touchedIn(t *testing.T, text string) (touched []string, p *perturb.Model) {
	t.Helper()
	m := graphtest.Model(t, text)
	p, err := perturb.New(t.Context(), m)
	if err != nil || p == nil {
		return nil, p
	}
	was := map[string][]string{}
	for n := range m.AllNodes() {
		for _, o := range n.Outputs() {
			was[o] = n.Inputs()
		}
	}
	for n := range p.AllNodes() {
		o := n.Outputs()[0]
		if in, ok := was[o]; ok && !slices.Equal(in, n.Inputs()) {
			touched = append(touched, o)
		}
	}
	return touched, p
}

// Values that an operator rounds and that depend on an input are touched, and no others.
func TestTouched(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"operators that round": {"input x f32[n,4]\ninit w f32[4,3] 1 2 3\na = MatMul(x, w)\nb = Relu(a)\ny = Exp(b)\noutput y f32[n,3]", []string{"a", "y"}},
		"movements":            {"input x f32[n,4]\na = Transpose(x) perm=[1,0]\ny = Relu(a)\noutput y f32[4,n]", nil},
		"constants":            {"input x f32[2]\ninit w f32[2] 1 2\na = Exp(w)\ny = Max(x, a)\noutput y f32[2]", nil},
		"sizes":                {"input x f32[n,4]\ns = Shape(x)\nf = Cast(s) to=1\ninit h f32[2] 2\ng = Mul(f, h)\ni = Cast(g) to=7\noutput i i64[2]", nil},
		"integers":             {"input x i64[4]\ninit k i64[] 3\ny = Mul(x, k)\noutput y i64[4]", nil},
		"a table of weights":   {"input x i64[4]\ninit w f32[9,2] 1 2 3\na = Gather(w, x)\ny = Neg(a)\noutput y f32[4,2]", []string{"a"}},
		"rows of an input":     {"input x f32[9,2]\ninit i i64[4] 0 1\na = Gather(x, i)\ny = Neg(a)\noutput y f32[4,2]", nil},
		"to fewer digits":      {"input x f32[4]\na = Cast(x) to=10\ny = Cast(a) to=1\noutput y f32[4]", []string{"a"}},
		"other domains":        {"opset com.microsoft 1\nopset 17\ninput x f32[4]\ny = com.microsoft::Gelu(x)\noutput y f32[4]", []string{"y"}},
		"a body": {`
			graph body
			input i i64[]
			input c bool[]
			input s f32[2]
			k = Identity(c)
			e = Exp(s)
			output k bool[]
			output e f32[2]
			end
			input x f32[2]
			init n i64[] 3
			init t bool[] 1
			y = Loop(n, t, x) body=@body
			output y f32[2]`, []string{"e"}},
		"a capture": {`
			graph one
			e = Exp(x)
			output e f32[2]
			end
			graph two
			f = Neg(w)
			g = Exp(f)
			output g f32[2]
			end
			input x f32[2]
			init w f32[2] 1
			init t bool[] 1
			y = If(t) then_branch=@one else_branch=@two
			output y f32[2]`, []string{"e"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := touchedIn(t, c.text)
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A model with a table takes where to begin in it as an input more, and every run another place.
func TestFeeds(t *testing.T) {
	const text = "input x f32[4]\ny = Exp(x)\noutput y f32[4]"
	in := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{1, 2, 3, 4}, 4))}
	for opset, more := range map[string]int{"opset 17\n": 0, "opset 22\n": 1} {
		_, p := touchedIn(t, opset+text)
		if n := len(p.Graph().FeedInputs()) - 1; n != more || len(p.Feeds(in, 1)) != 1+more || len(in) != 1 {
			t.Errorf("%s%d inputs more, fed %v", opset, n, p.Feeds(in, 1))
		}
		for _, v := range p.Graph().FeedInputs()[1:] {
			a, b := p.Feeds(in, 1)[v.Name()].Tensor, p.Feeds(in, 2)[v.Name()].Tensor
			if slices.Equal(a.Data, b.Data) {
				t.Errorf("both begin at %v", a.Data)
			}
		}
		if !slices.Equal(p.Types, []tensor.DType{tensor.F32}) || p.Quantizes {
			t.Errorf("got %v, %v", p.Types, p.Quantizes)
		}
	}
	if _, p := touchedIn(t, "input x f32[4]\ny = Exp(x)\ns, a, b = DynamicQuantizeLinear(y)\noutput s u8[4]\noutput a f32[]\noutput b u8[]"); !p.Quantizes {
		t.Error("a model that quantizes is not known as such")
	}
}
