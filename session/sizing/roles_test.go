package sizing_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// decoder is a layer with a cache. Its names and symbols say nothing.
const decoder = `
	opset com.microsoft 1
	input a i64[n,i]
	input c i64[n,k]
	input e f32[n,2,j,8]
	input f f32[n,2,j,8]
	init table f32[50,16] 0.5
	init w f32[16,16] 0.1
	init u f32[16,50] 0.1
	init one i64[1] 1
	x = Gather(table, a)
	q = MatMul(x, w)
	sum = ReduceSum(c, one) keepdims=0
	less = Sub(sum, one)
	lengths = Cast(less) to=6
	shape = Shape(c)
	total = Gather(shape, one)
	total32 = Cast(total) to=6
	h, g, o = com.microsoft::GroupQueryAttention(q, q, q, e, f, lengths, total32) num_heads=2 kv_num_heads=2
	y = MatMul(h, u)
	output y f32[n,i,50]
	output g f32[n,2,k,8]
	output o f32[n,2,k,8]
`

// TestRoles: sizes of a cache, a mask and new positions go together without the help of names.
func TestRoles(t *testing.T) {
	m := graphtest.Model(t, decoder)
	kinds := map[string]string{}
	for _, symbol := range systemOf(t, m).Symbols {
		kinds[symbol.Name] = symbol.Kind.String()
	}
	if kinds["i"] != "sequence" || kinds["j"] != "past" {
		t.Errorf("kinds are %v", kinds)
	}
	for _, p := range []sizing.Purpose{sizing.Check, sizing.Measure, sizing.Look} {
		for _, given := range []map[string]int64{nil, {"j": 0}, {"i": 5}, {"k": 40}} {
			sizes, ok := searchOf(t, m, given, p).Next(t.Context())
			if !ok || sizes["k"] != sizes["i"]+sizes["j"] {
				t.Errorf("purpose %d with %v: %v, %v", p, given, sizes, ok)
			}
		}
	}
}
