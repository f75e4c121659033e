package ties_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/compare/ties"
)

func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		nodes string
		want  ties.Choice
		ok    bool
	}{
		"TopK":              {"k = Constant <value_ints = [2]> () v, o = TopK (x, k)", ties.Choice{From: "x", Axis: -1, Several: true}, true},
		"its values":        {"k = Constant <value_ints = [2]> () o, i = TopK (x, k)", ties.Choice{}, false},
		"behind a Cast":     {"k = Constant <value_ints = [2]> () v, i = TopK <axis = 0> (x, k) o = Cast <to = 6> (i)", ties.Choice{From: "x", Axis: 0, Several: true}, true},
		"ArgMax":            {"o = ArgMax <axis = 1> (x)", ties.Choice{From: "x", Axis: 1}, true},
		"what is behind it": {"i = ArgMax <axis = 1> (x) o = Neg (i)", ties.Choice{}, false},
		"an input":          {"y = Relu (x)", ties.Choice{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Text(t, `<ir_version: 9, opset_import: ["" : 17]> g (float[4,3] x) => (int64[n,m] o) { `+c.nodes+` }`)
			if got, ok := ties.Of(m, "o"); got != c.want || ok != c.ok {
				t.Errorf("it is %+v, %v", got, ok)
			}
		})
	}
}

func TestEqual(t *testing.T) {
	from := tensor.Tensor{DType: tensor.F32, Shape: []int64{2, 4}}
	from.Data = make([]byte, 32)
	if err := tensor.EncodeFloat64(from.Data, tensor.F32, []float64{5, 1, 5, 5.00001, 0, 0, 7, 0}); err != nil {
		t.Fatal(err)
	}
	indices := func(list ...float64) tensor.Tensor {
		out := tensor.Tensor{DType: tensor.I64, Shape: []int64{2, int64(len(list) / 2)}, Data: make([]byte, 8*len(list))}
		if err := tensor.EncodeFloat64(out.Data, tensor.I64, list); err != nil {
			t.Fatal(err)
		}
		return out
	}
	choice := ties.Choice{From: "x", Axis: -1, Several: true}
	tol := tensor.Tolerance{RTol: 1e-5, ATol: 1e-5}
	for name, c := range map[string]struct {
		a, b tensor.Tensor
		want bool
	}{
		"equal values":         {indices(0, 2, 2, 0), indices(2, 0, 2, 3), true},
		"nearly equal":         {indices(3, 2, 2, 0), indices(0, 2, 2, 1), true},
		"another value":        {indices(0, 2, 2, 0), indices(0, 1, 2, 0), false},
		"one that is not":      {indices(0, 2, 2, 0), indices(0, 4, 2, 0), false},
		"the same twice":       {indices(0, 2, 2, 0), indices(0, 0, 2, 0), false},
		"another row":          {indices(0, 2, 2, 0), indices(0, 2, 0, 2), false},
		"fewer":                {indices(0, 2, 2, 0), indices(0, 2), false},
		"of other rows":        {indices(0, 2, 1, 2, 0, 1), indices(2, 0, 1, 2, 1, 0), true},
		"negative":             {indices(0, 2, 2, 0), indices(-4, 2, 2, 0), false},
		"no number of columns": {indices(0, 2), indices(2, 2), false},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no number of columns" {
				c.a.Data, c.b.Data = c.a.Data[:8], c.b.Data[:8]
				c.a.Shape, c.b.Shape = []int64{1, 1}, []int64{1, 1}
			}
			if got := choice.Equal(from, c.a, c.b, tol); got != c.want {
				t.Errorf("it is %v", got)
			}
		})
	}
}
