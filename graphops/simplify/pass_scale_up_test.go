package simplify

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

const scaledHeads = `
input x f32[b,s,8]
init w f32[8,8] 1 2 3 4 5 6 7
init c f32[8] 1 2 3 4 5 6 7 8
init parts i64[4] 0 0 2 4
init half f32[] 0.5
p = MatMul(x, w)
a = Add(p, c)
r = Reshape(a, parts)
t = Transpose(r) perm=[0,2,1,3]
y = Mul(t, half)
output y f32[b,2,s,4]`

func TestScaleBeforeViews(t *testing.T) {
	up := func(scale string) []string {
		return []string{"p = MatMul(x, w)", "a = Add(p, c)", "r_Mul = " + scale, "r = Reshape(r_Mul, parts)", "y = Transpose(r) perm=[0,2,1,3]"}
	}
	stays := func(lines ...string) []string {
		return append([]string{"p = MatMul(x, w)", "a = Add(p, c)", "r = Reshape(a, parts)", "t = Transpose(r) perm=[0,2,1,3]"}, lines...)
	}
	after{
		"as exported":       {scaledHeads, up("Mul(a, half)")},
		"the other order":   {with(scaledHeads, "Mul(t, half)", "Mul(half, t)"), up("Mul(half, a)")},
		"of a list of one":  {with(scaledHeads, "half f32[]", "half f32[1]"), up("Mul(a, half)")},
		"a number for each": {with(scaledHeads, "half f32[]", "half f32[4]"), stays("y = Mul(t, half)")},
		"of more axes":      {with(scaledHeads, "half f32[]", "half f32[1,1,1,1,1]", "y f32[b,2,s,4]", "y f32[1,b,2,s,4]"), stays("y = Mul(t, half)")},
		"by what is fed":    {with(scaledHeads, "init half f32[] 0.5", "input half f32[]"), stays("y = Mul(t, half)")},
		"read on the way":   {with(scaledHeads, "output y", "z = Neg(t)\noutput z f32[b,2,s,4]\noutput y"), stays("y = Mul(t, half)", "z = Neg(t)")},
		"half over it":      {with(scaledHeads, "Mul(t, half)", "Div(half, t)"), stays("y = Div(half, t)")},
		"no layer": {with(scaledHeads, "a = Add(p, c)", "a = Relu(p)"), []string{
			"p = MatMul(x, w)", "a = Relu(p)", "r = Reshape(a, parts)", "t = Transpose(r) perm=[0,2,1,3]", "y = Mul(t, half)",
		}},
	}.run(t, scaleBeforeViews)
	divided := up("Div(a, half)")
	divided[2] = "r_Div = Div(a, half)"
	divided[3] = "r = Reshape(r_Div, parts)"
	after{"divided": {with(scaledHeads, "Mul(t, half)", "Div(t, half)"), divided}}.run(t, scaleBeforeViews)
}

// With all passes the layer takes the scale up.
func TestScaleIntoLayer(t *testing.T) {
	out, _ := simplified(t, graphtest.Model(t, scaledHeads), Options{})
	want := []string{"p = MatMul(x, p_w)", "a = Add(p, a_c)", "r = Reshape(a, parts)", "y = Transpose(r) perm=[0,2,1,3]"}
	got := graphtest.Nodes(out.Graph())
	if len(got) != len(want) || slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "Mul(t") || strings.Contains(n, "= Mul(") }) {
		t.Errorf("got %q", got)
	}
}
