package simplify

import (
	"strings"
	"testing"
)

// mergedAxes is attention over batch and heads as one axis; SCORES stands for what is
// between the products.
const mergedAxes = `
input q f32[b,4,s,8]
input k f32[b,4,t,8]
input v f32[b,4,t,8]
init half f32[] 0.5
init heads i64[3] -1 0 8
qs = Shape(q)
ks = Shape(k)
init zero i64[1] 0
init two i64[1] 2
init four i64[1] 4
init eight i64[1] 8
n = Gather(qs, zero)
n4 = Mul(n, four)
sq = Gather(qs, two)
sk = Gather(ks, two)
toq = Concat(n4, sq, eight) axis=0
tok = Concat(n4, sk, eight) axis=0
apart = Concat(n, four, sq, eight) axis=0
q3 = Reshape(q, toq)
k3 = Reshape(k, tok)
v3 = Reshape(v, tok)
kt = Transpose(k3) perm=[0,2,1]
a = MatMul(q3, kt)
SCORES
c = MatMul(p, v3)
y = Reshape(c, apart)
output y f32[b,4,s,8]`

func TestPartMergedAxes(t *testing.T) {
	with := func(scores string) string { return strings.Replace(mergedAxes, "SCORES", scores, 1) }
	shapes := []string{
		"qs = Shape(q)", "ks = Shape(k)", "n = Gather(qs, zero)", "n4 = Mul(n, four)", "sq = Gather(qs, two)", "sk = Gather(ks, two)",
		"toq = Concat(n4, sq, eight) axis=0", "tok = Concat(n4, sk, eight) axis=0", "apart = Concat(n, four, sq, eight) axis=0",
	}
	made := []string{"q3 = Reshape(q, toq)", "k3 = Reshape(k, tok)", "v3 = Reshape(v, tok)", "kt = Transpose(k3) perm=[0,2,1]", "a = MatMul(q3, kt)"}
	stays := func(scores ...string) []string {
		out := append(append(append([]string{}, shapes...), made...), scores...)
		return append(out, "c = MatMul(p, v3)", "y = Reshape(c, apart)")
	}
	after{
		"scaled and weighed": {with("m = Mul(a, half)\np = Softmax(m) axis=2"), []string{
			"kt = Transpose(k) perm=[0,1,3,2]", "a = MatMul(q, kt)", "m = Mul(a, half)", "p = Softmax(m) axis=3", "y = MatMul(p, v)",
		}},
		"before version 13, by a negative axis": {"opset 11\n" + with("p = Softmax(a) axis=-1"), []string{
			"kt = Transpose(k) perm=[0,1,3,2]", "a = MatMul(q, kt)", "p = Softmax(a) axis=3", "y = MatMul(p, v)",
		}},
		"over all axes but the first": {"opset 11\n" + with("p = Softmax(a)"), stays("p = Softmax(a)")},
		"over the steps":              {with("p = Softmax(a) axis=1"), stays("p = Softmax(a) axis=1")},
		"a mask for all heads at once": {with("input m f32[s,t]\nw = Add(m, a)\np = Softmax(w)"), []string{
			"kt = Transpose(k) perm=[0,1,3,2]", "a = MatMul(q, kt)", "w = Add(m, a)", "p = Softmax(w) axis=3", "y = MatMul(p, v)",
		}},
		"a mask for each head": {
			with("input m f32[?,s,t]\nw = Add(a, m)\np = Softmax(w)"), stays("w = Add(a, m)", "p = Softmax(w)"),
		},
		"a mask that spreads": {
			with("input m f32[?,t]\nw = Add(a, m)\np = Softmax(w)"), stays("w = Add(a, m)", "p = Softmax(w)"),
		},
		"scores that are an output":   {with("output a f32[?,?,?]\np = Softmax(a)"), stays("p = Softmax(a)")},
		"scores of which others read": {with("z = Relu(a)\noutput z f32[?,?,?]\np = Softmax(a)"), stays("z = Relu(a)", "p = Softmax(a)")},
		"parted the other way round": {`
			input q f32[b,4,2,8]
			input k f32[b,4,8,2]
			init to i64[3] -1 2 8
			init ot i64[3] -1 8 2
			init apart i64[4] 4 -1 2 2
			q3 = Reshape(q, to)
			k3 = Reshape(k, ot)
			a = MatMul(q3, k3)
			y = Reshape(a, apart)
			output y f32[4,b,2,2]`, []string{"q3 = Reshape(q, to)", "k3 = Reshape(k, ot)", "a = MatMul(q3, k3)", "y = Reshape(a, apart)"}},
		"other axes on one side": {`
			input q f32[6,4,2,8]
			input k f32[4,6,8,2]
			init to i64[3] 24 2 8
			init ot i64[3] 24 8 2
			init apart i64[4] 6 4 2 2
			q3 = Reshape(q, to)
			k3 = Reshape(k, ot)
			a = MatMul(q3, k3)
			y = Reshape(a, apart)
			output y f32[6,4,2,2]`, []string{"q3 = Reshape(q, to)", "k3 = Reshape(k, ot)", "a = MatMul(q3, k3)", "y = Reshape(a, apart)"}},
		"a view that is read elsewhere, too, stays": {`
			input q f32[6,4,2,8]
			input k f32[6,4,8,2]
			init to i64[3] 24 2 8
			init ot i64[3] 24 8 2
			init apart i64[4] 6 4 2 2
			q3 = Reshape(q, to)
			k3 = Reshape(k, ot)
			z = Relu(q3)
			a = MatMul(q3, k3)
			y = Reshape(a, apart)
			output y f32[6,4,2,2]
			output z f32[24,2,8]`, []string{"q3 = Reshape(q, to)", "z = Relu(q3)", "y = MatMul(q, k)"}},
		"by an axis of one": {`
			input q f32[1,4,2,8]
			input k f32[1,4,8,2]
			init first i64[1] 0
			q3 = Squeeze(q, first)
			k3 = Squeeze(k, first)
			a = MatMul(q3, k3)
			y = Unsqueeze(a, first)
			output y f32[1,4,2,2]`, []string{"y = MatMul(q, k)"}},
		"nothing that is multiplied": {`
			input q f32[6,4,2,8]
			init to i64[3] 24 2 8
			init apart i64[4] 6 4 2 8
			q3 = Reshape(q, to)
			a = Softmax(q3)
			y = Reshape(a, apart)
			output y f32[6,4,2,8]`, []string{"q3 = Reshape(q, to)", "a = Softmax(q3)", "y = Reshape(a, apart)"}},
	}.run(t, partMergedAxes)
}
