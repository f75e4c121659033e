package cost_test

import (
	"errors"
	"testing"

	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/graphops/graphtest"
)

// TestWhyUnknown tells of the first node whose multiply-accumulates are not known why.
func TestWhyUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		op    string
		want  error
		size  map[string]int64
	}{
		"all known":               {model: "input x f32[n,4]\ninput w f32[4,4]\ny = MatMul(x, w)\noutput y f32"},
		"an operator of nobody":   {model: "input x f32[4,4]\nm = MatMul(x, x)\ny = nobody::Op(m)\nz = other::Op(y)\noutput z f32", op: "Op", want: cost.ErrUncounted},
		"data decide":             {model: "input x f32[4,4]\nn = NonZero(x)\nf = Cast(n) to=1\nt = Transpose(f)\ny = MatMul(t, f)\noutput y f32", op: "MatMul", want: cost.ErrSizes},
		"64 bits":                 {model: "input x f32[3037000500,3037000500]\ny = MatMul(x, x)\noutput y f32", op: "MatMul", want: dim.ErrOverflow},
		"64 bits, at some size":   {model: "input x f32[n,n]\ny = MatMul(x, x)\noutput y f32", op: "MatMul", want: dim.ErrOverflow, size: map[string]int64{"n": 1 << 30}},
		"how often a loop runs":   {model: "graph b\ninput i i64\ninput c bool\ninput s f32\nd = Identity(c)\nt = MatMul(s, s)\noutput d\noutput t\nend\ninput m i64[]\ninput yes bool[]\ninput x f32[4,4]\ny = Loop(m, yes, x) body=@b\noutput y f32", op: "MatMul", want: cost.ErrTimes},
		"branches of other sizes": {model: "graph yes\nt = MatMul(a, a)\noutput t\nend\ngraph no\ne = MatMul(b, b)\noutput e\nend\ninput c bool[]\ninput a f32[n,n]\ninput b f32[m,m]\ny = If(c) then_branch=@yes else_branch=@no\noutput y f32", op: "If", want: cost.ErrBranches},
	} {
		r, err := cost.Analyze(t.Context(), graphtest.Model(t, c.model), 0)
		if err != nil {
			t.Fatal(name, err)
		}
		r = r.At(c.size)
		p, i, why, ok := r.UnknownMACs()
		if _, whole := r.Total().MACs.Whole(); ok == whole || ok != (c.want != nil) || !errors.Is(why, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, ok, why, c.want)
		}
		if ok && p.Graph.Nodes()[i].OpType() != c.op {
			t.Errorf("%s: node %d, want the %s", name, i, c.op)
		}
	}
}
