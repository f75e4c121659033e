//go:build cgo

package stepwise_test

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/sessiontest"
)

// head begins a decoder: token ids become hidden states x, and q, k and v, with and without an axis of
// heads. The weights are such that what comes out depends on earlier tokens.
const head = `opset 23
opset com.microsoft 1
input a i64[b,s]
init table f32[50,16] 0.3 -0.7 0.2 0.9 -0.4 0.5 0.1 -0.6 0.8 -0.3 0.7
init wq f32[16,16] 0.5 -0.3 0.2 0.4 -0.6 0.1 0.3 -0.2
init wk f32[16,16] -0.2 0.6 0.1 -0.5 0.4 0.3 -0.1
init wv f32[16,16] 0.7 -0.4 0.3 -0.1 0.2
x = Gather(table, a)
q = MatMul(x, wq)
k = MatMul(x, wk)
v = MatMul(x, wv)
init split i64[4] 0 0 2 8
q0 = Reshape(q, split)
qh = Transpose(q0) perm=[0,2,1,3]
k0 = Reshape(k, split)
kh = Transpose(k0) perm=[0,2,1,3]
v0 = Reshape(v, split)
vh = Transpose(v0) perm=[0,2,1,3]
`

const scores = `init u f32[16,50] 0.4 -0.2 0.6 -0.5 0.3 0.1 -0.7
y = MatMul(h, u)
output y f32[b,s,50]
`

const caches = `input e f32[b,2,p,8]
input f f32[b,2,p,8]
output g f32[b,2,t,8]
output i f32[b,2,t,8]
`

// joining is an attention by single operators. It has no mask, so that each token sees all others.
const joining = `g = Concat(e, kh) axis=2
i = Concat(f, vh) axis=2
kt = Transpose(g) perm=[0,1,3,2]
sc = MatMul(qh, kt)
pr = Softmax(sc)
ctx = MatMul(pr, i)
back = Transpose(ctx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
`

// TestForms compares one layer of each kind of cache with itself.
func TestForms(t *testing.T) {
	on := sessiontest.Workers(t)
	for _, c := range []struct{ name, model, verdict, words string }{
		{"GroupQueryAttention", head + caches + "input c i32[b]\ninput d i32[]\nh, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=2 kv_num_heads=2\n" + scores, "pass", "of one sequence"},
		{"MultiHeadAttention", head + caches + "h, g, i = com.microsoft::MultiHeadAttention(q, k, v, , , , e, f) num_heads=2 unidirectional=1\n" + scores, "pass", "6 tokens, then 6"},
		{"Attention of com.microsoft", head + "input e f32[2,b,2,p,8]\ninit qkv f32[16,48] 0.5 -0.3 0.2 0.4 -0.6 0.1 0.3 -0.2 0.7\ninit bias f32[48] 0.1\nh, g = com.microsoft::Attention(x, qkv, bias, , e) num_heads=2 unidirectional=1\noutput g f32[2,b,2,t,8]\n" + scores, "pass", "6 tokens, then 6"},
		{"LSTM", head + "input e f32[1,b,16]\ninput f f32[1,b,16]\ninit wl f32[1,64,16] 0.5 -0.3 0.2 0.4 -0.6 0.1 0.3\nsteps = Transpose(x) perm=[1,0,2]\nall, g, i = LSTM(steps, wl, wl, , , e, f) hidden_size=16\ninit first i64[1] 1\none = Squeeze(all, first)\nh = Transpose(one) perm=[1,0,2]\noutput g f32[1,b,16]\noutput i f32[1,b,16]\n" + scores, "pass", "6 tokens, then 6"},
		{"no causal mask", head + caches + joining + scores, "fail", "a later token changes what comes out at an earlier position: 6 tokens at once"},
		{"nothing depends on earlier tokens", head + caches + "g = Concat(e, kh) axis=2\ni = Concat(f, vh) axis=2\nkt = Transpose(g) perm=[0,1,3,2]\nsc = MatMul(qh, kt)\nzero = Sub(sc, sc)\npr = Softmax(zero)\nc0 = MatMul(pr, i)\nnil = Sub(c0, c0)\nctx = Add(nil, qh)\nback = Transpose(ctx) perm=[0,2,1,3]\ninit flat i64[3] 0 0 16\nh = Reshape(back, flat)\n" + scores, "undecided", "a fault of the cache would not show"},
		{"a window by Slice", head + "input e f32[b,2,4,8]\ninput f f32[b,2,4,8]\nka = Concat(e, kh) axis=2\nva = Concat(f, vh) axis=2\ninit from i64[1] -4\ninit to i64[1] 9223372036854775807\ninit axis i64[1] 2\ng = Slice(ka, from, to, axis)\ni = Slice(va, from, to, axis)\nkt = Transpose(ka) perm=[0,1,3,2]\nsc = MatMul(qh, kt)\npr = Softmax(sc)\nctx = MatMul(pr, va)\nback = Transpose(ctx) perm=[0,2,1,3]\ninit flat i64[3] 0 0 16\nh = Reshape(back, flat)\noutput g f32[b,2,4,8]\noutput i f32[b,2,4,8]\n" + scores, "undecided", "cannot be filled here"},
		{"an unknown input", strings.Replace(head, "q = MatMul(x, wq)", "input z f32[b,s,1]\nq1 = MatMul(x, wq)\nq = Mul(q1, z)", 1) + caches + joining + scores, "undecided", `input "z" is not recognized`},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			r := checked(t, on, graphtest.Model(t, c.model))
			if string(r.Verdict) != c.verdict || !strings.Contains(r.Headline, c.words) {
				t.Errorf("%s: %s", r.Verdict, r.Headline)
			}
		})
	}
}
