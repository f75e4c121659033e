package inputs

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/roles"
)

// unnamed is a decoder layer with positions. Its names say nothing.
const unnamed = `
	opset com.microsoft 1
	input a i64[n,i]
	input c i64[n,k]
	input d i64[n,i]
	input e f32[n,2,j,8]
	input f f32[n,2,j,8]
	init table f32[50,16] 0.5
	init w f32[16,16] 0.1
	init u f32[16,50] 0.1
	init cs f32[64,4] 0.1
	init one i64[1] 1
	x = Gather(table, a)
	q0 = MatMul(x, w)
	q = com.microsoft::RotaryEmbedding(q0, d, cs, cs) num_heads=2
	sum = ReduceSum(c, one) keepdims=0
	less = Sub(sum, one)
	lengths = Cast(less) to=6
	shape = Shape(c)
	total = Gather(shape, one)
	total32 = Cast(total) to=6
	h, g, o = com.microsoft::GroupQueryAttention(q, q, q0, e, f, lengths, total32) num_heads=2 kv_num_heads=2
	y = MatMul(h, u)
	output y f32[n,i,50]
	output g f32[n,2,k,8]
	output o f32[n,2,k,8]
`

// fedBy returns what inputs get, by name.
func fedBy(t *testing.T, o Options) map[string]string {
	t.Helper()
	made, err := Generate(graphops.NamedTypes(o.Model.Graph().FeedInputs()), o)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range made.Fed {
		out[f.Name] = f.Shape.String() + ": " + f.What
	}
	return out
}

// TestValuesByRole: a mask has as many ones as there are positions, and positions go on after the
// past, whatever the names are.
func TestValuesByRole(t *testing.T) {
	m := graphtest.Model(t, unnamed)
	for _, c := range []struct {
		dims map[string]int64
		want map[string]string
	}{
		{map[string]int64{"n": 2, "i": 3, "j": 0}, map[string]string{"c": "2×3: all 1", "d": "2×3: counting from 0 to 2"}},
		{map[string]int64{"n": 1, "i": 4, "j": 7}, map[string]string{"c": "1×11: all 1", "d": "1×4: counting from 7 to 10"}},
		{map[string]int64{"n": 3, "i": 1, "j": 9}, map[string]string{"c": "3×10: all 1", "d": "3×1: counting from 9 to 9"}},
	} {
		got := fedBy(t, Options{Model: m, Dims: c.dims})
		for name, want := range c.want {
			if got[name] != want {
				t.Errorf("%v: %s is %s, want %s", c.dims, name, got[name], want)
			}
		}
	}
}

// TestStatedRoles: a role that the user states decides about values.
func TestStatedRoles(t *testing.T) {
	m := graphtest.Model(t, "input a i64[2,3]\ninput b i64[2,3]\ny = Add(a, b)\noutput y i64[2,3]")
	if got := fedBy(t, Options{Model: m})["a"]; strings.Contains(got, "counting") {
		t.Errorf("without a role: %s", got)
	}
	got := fedBy(t, Options{Model: m, Stated: []roles.Given{{Name: "a", Kind: roles.Positions}, {Name: "b", Kind: roles.Mask}}})
	if got["a"] != "2×3: counting from 0 to 2" || got["b"] != "2×3: all 1" {
		t.Errorf("got %v", got)
	}
	if _, err := Generate(graphops.NamedTypes(m.Graph().Inputs()), Options{Model: m, Stated: []roles.Given{{Name: "z", Kind: roles.Mask}}}); err == nil || !strings.Contains(err.Error(), `no input or output "z"`) {
		t.Errorf("a role of an input that does not exist: %v", err)
	}
}
