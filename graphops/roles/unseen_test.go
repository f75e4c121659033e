package roles_test

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// unseen are models whose roles were written down before they were found. Names say nothing.
var unseen = []example{
	{"queries, keys and values in one product, half of each head is turned", `opset 17
input a i64[b,s]
input c i64[b,s]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
init table f32[50,16] 0.5
init w f32[16,48] 0.1
init u f32[16,50] 0.1
init ct f32[64,4] 0.1
init split i64[4] 0 0 2 24
init zero i64[1] 0
init four i64[1] 4
init eight i64[1] 8
init last i64[1] 3
init ax i64[1] 1
x = Gather(table, a)
n = LayerNormalization(x, x)
m = MatMul(n, w)
m4 = Reshape(m, split)
mt = Transpose(m4) perm=[0,2,1,3]
q, k, v = Split(mt) axis=3 num_outputs=3
c0 = Gather(ct, c)
c4 = Unsqueeze(c0, ax)
k1 = Slice(k, zero, four, last)
k2 = Slice(k, four, eight, last)
kr = Mul(k1, c4)
kh = Concat(kr, k2) axis=-1
ka = Concat(e, kh) axis=-2
va = Concat(f, v) axis=-2
kt = Transpose(ka) perm=[0,1,3,2]
sc = MatMul(q, kt)
pr = Softmax(sc)
cx = MatMul(pr, va)
bk = Transpose(cx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(bk, flat)
y = MatMul(h, u)
output y f32[b,s,50]
output ka f32[b,2,t,8]
output va f32[b,2,t,8]
`, `
in  a: ids by structure
in  c: positions by structure
in  e: past key 0 concat "grows" axis=2 ~ ka by structure
in  f: past value 0 concat "grows" axis=2 ~ va by structure
out y: logits by structure
out ka: present key 0 concat "grows" axis=2 ~ e by structure
out va: present value 0 concat "grows" axis=2 ~ f by structure
`},
	{"fewer heads of keys, repeated", `opset 17
input a i64[b,s]
input e f32[b,1,p,8]
input f f32[b,1,p,8]
init table f32[50,16] 0.5
init w f32[16,16] 0.1
init wk f32[16,8] 0.1
init u f32[16,50] 0.1
init split i64[4] 0 0 2 8
init splitk i64[4] 0 0 1 8
init two i64[1] 2
init rep i64[5] 1 1 2 1 1
init join i64[4] 0 2 -1 8
x = Gather(table, a)
q = MatMul(x, w)
q4 = Reshape(q, split)
qh = Transpose(q4) perm=[0,2,1,3]
k = MatMul(x, wk)
k4 = Reshape(k, splitk)
kh = Transpose(k4) perm=[0,2,1,3]
g = Concat(e, kh) axis=2
i = Concat(f, kh) axis=2
g5 = Unsqueeze(g, two)
ge = Expand(g5, rep)
ga = Reshape(ge, join)
i5 = Unsqueeze(i, two)
ie = Expand(i5, rep)
ia = Reshape(ie, join)
kt = Transpose(ga) perm=[0,1,3,2]
init d f32[] 0.35
ks = Mul(kt, d)
sc = MatMul(qh, ks)
pr = Softmax(sc)
cx = MatMul(pr, ia)
bk = Transpose(cx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(bk, flat)
y = MatMul(h, u)
output y f32[b,s,50]
output g f32[b,1,t,8]
output i f32[b,1,t,8]
`, `
in  a: ids by structure
in  e: past key 0 concat "grows" axis=2 ~ g by structure
in  f: past value 0 concat "grows" axis=2 ~ i by structure
out y: logits by structure
out g: present key 0 concat "grows" axis=2 ~ e by structure
out i: present value 0 concat "grows" axis=2 ~ f by structure
`},
	{"an encoder with three tables and a pooled output", `opset 17
input a i64[b,s]
input c i64[b,s]
input d i64[b,s]
input m i64[b,s]
init words f32[100,16] 0.5
init where f32[64,16] 0.5
init which f32[2,16] 0.5
init w f32[16,16] 0.1
init one f32[16] 1
x1 = Gather(words, a)
x2 = Gather(which, c)
x3 = Gather(where, d)
x4 = Add(x1, x2)
x5 = Add(x4, x3)
x = LayerNormalization(x5, one)
q = MatMul(x, w)
k = MatMul(x, w)
kt = Transpose(k) perm=[0,2,1]
sc = MatMul(q, kt)
init ax i64[1] 1
m3 = Unsqueeze(m, ax)
mf = Cast(m3) to=1
init big f32[] 10000
mb = Mul(mf, big)
ms = Sub(mb, big)
sm = Add(sc, ms)
pr = Softmax(sm)
cx = MatMul(pr, k)
r = Add(cx, x)
h = LayerNormalization(r, one)
init z i64[] 0
first = Gather(h, z) axis=1
pw = Gemm(first, w)
pool = Tanh(pw)
output h f32[b,s,16]
output pool f32[b,16]
`, `
in  a: ids by structure [token ids: its table is the largest one]
in  c: segments by structure [segments: its table has the fewest rows]
in  d: unknown by none
in  m: mask by structure
out h: hidden by structure
out pool: hidden by structure
`},
	{"an encoder of sound", `opset 17
input a f32[b,80,t]
init wc f32[16,80,3] 0.1
init w f32[16,16] 0.1
init one f32[16] 1
c = Conv(a, wc) pads=[1,1]
x = Transpose(c) perm=[0,2,1]
q = MatMul(x, w)
k = MatMul(x, w)
kt = Transpose(k) perm=[0,2,1]
sc = MatMul(q, kt)
pr = Softmax(sc)
cx = MatMul(pr, k)
r = Add(cx, x)
h = LayerNormalization(r, one)
output h f32[b,t,16]
`, `
in  a: features by structure
out h: hidden by structure
`},
	{"complex numbers turned and conjugated", `opset 17
input z f32[3,2]
init one i64[1] 1
init zero i64[1] 0
init two i64[1] 2
init last i64[1] -1
init c f32[1] 0.6
re = Slice(z, zero, one, last)
im = Slice(z, one, two, last)
x = Mul(im, c)
y = Concat(x, re) axis=-1
size = ReduceSum(y, last) keepdims=0
neg = Neg(im)
conj = Concat(re, neg) axis=-1
output size f32[3]
output conj f32[3,2]
`, `
in  z: unknown by none
out size: unknown by none
out conj: unknown by none
`},
	{"a state space model, one step", `opset 17
input a i64[b,1]
input e f32[b,16,4]
input f f32[b,16,8]
init table f32[50,16] 0.5
init w f32[16,16] 0.1
init u f32[16,50] 0.1
init k f32[16,4] 0.1
init decay f32[16,8] 0.1
init bm f32[16,8] 0.1
x = Gather(table, a)
xt = Transpose(x) perm=[0,2,1]
long = Concat(e, xt) axis=2
init from i64[1] 1
init to i64[1] 5
init axis i64[1] 2
g = Slice(long, from, to, axis)
wx = Mul(g, k)
cv = ReduceSum(wx, axis) keepdims=1
kept = Mul(f, decay)
new = Mul(cv, bm)
i = Add(kept, new)
rd = ReduceSum(i, axis) keepdims=1
h = Transpose(rd) perm=[0,2,1]
y = MatMul(h, u)
output y f32[b,1,50]
output g f32[b,16,4]
output i f32[b,16,8]
`, `
in  a: ids by structure
in  e: past conv state 0 conv-concat "replaced" axis=2 ~ g by structure [that it is for a convolution: no attention reads it]
in  f: past state 0 updated "replaced" ~ i by structure
out y: logits by structure
out g: present conv state 0 conv-concat "replaced" axis=2 ~ e by structure [that it is for a convolution: no attention reads it]
out i: present state 0 updated "replaced" ~ f by structure
`},
	{"the oldest position is dropped first", head + `
input e f32[b,2,8,8]
input f f32[b,2,8,8]
init from i64[1] 1
init to i64[1] 8
init axis i64[1] 2
e1 = Slice(e, from, to, axis)
f1 = Slice(f, from, to, axis)
ka = Concat(e1, kh) axis=2
va = Concat(f1, vh) axis=2
output ka f32[b,2,8,8]
output va f32[b,2,8,8]
` + tail, `
in  a: ids by structure
in  e: past key 0 window "slides" axis=2 window=8 ~ ka by structure
in  f: past value 0 window "slides" axis=2 window=8 ~ va by structure
out ka: present key 0 window "slides" axis=2 window=8 ~ e by structure
out va: present value 0 window "slides" axis=2 window=8 ~ f by structure
out y: logits by structure
`},
	{"a latent of keys and values", strings.NewReplacer("kh =", "k9 =", "vh =", "v9 =").Replace(head) + `
input e f32[b,p,4]
init down f32[16,4] 0.1
init upk f32[4,16] 0.1
new = MatMul(x, down)
g = Concat(e, new) axis=1
fk = MatMul(g, upk)
fk4 = Reshape(fk, split)
ka = Transpose(fk4) perm=[0,2,1,3]
fv = MatMul(g, upk)
fv4 = Reshape(fv, split)
va = Transpose(fv4) perm=[0,2,1,3]
output g f32[b,t,4]
` + tail, `
in  a: ids by structure
in  e: past 0 concat "grows" axis=1 ~ g by structure [whether it has keys or values is not known]
out g: present 0 concat "grows" axis=1 ~ e by structure [whether it has keys or values is not known]
out y: logits by structure
`},
	{"keys of an encoder at the slots of an operator", head + `
input e f32[b,2,l,8]
input f f32[b,2,l,8]
h = com.microsoft::MultiHeadAttention(q, e, f) num_heads=2
` + scores, `
in  a: ids by structure
in  e: past key 0 cross cross "only read" by operator [the keys and values are those of an encoder, or of a fixed prompt]
in  f: past value 0 cross cross "only read" by operator [the keys and values are those of an encoder, or of a fixed prompt]
out y: logits by structure
`},
	{"a recurrent decoder that attends to an encoder", `opset 17
input a i64[b,1]
input c f32[b,l,16]
input e f32[1,b,16]
init table f32[50,16] 0.5
init wg f32[1,48,16] 0.1
init u f32[32,50] 0.1
x = Gather(table, a)
xt = Transpose(x) perm=[1,0,2]
all, g = GRU(xt, wg, wg, , , e) hidden_size=16
init ax i64[1] 1
o = Squeeze(all, ax)
q = Transpose(o) perm=[1,0,2]
ct = Transpose(c) perm=[0,2,1]
sc = MatMul(q, ct)
pr = Softmax(sc)
cx = MatMul(pr, c)
h = Concat(q, cx) axis=2
y = MatMul(h, u)
output y f32[b,1,50]
output g f32[1,b,16]
`, `
in  a: ids by structure
in  c: encoded by structure
in  e: past state 0 recurrent "replaced" ~ g by operator
out y: logits by structure
out g: present state 0 recurrent "replaced" ~ e by operator
`},
	{"a static cache of ONNX's Attention with a mask", strings.Replace(head, "opset 23", "opset 24", 1) + `
input c i64[b]
input m bool[b,1,s,32]
input e f32[b,2,32,8]
input f f32[b,2,32,8]
g = TensorScatter(e, kh, c)
i = TensorScatter(f, vh, c)
ctx = Attention(qh, g, i, m)
back = Transpose(ctx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
output g f32[b,2,32,8]
output i f32[b,2,32,8]
` + scores, `
in  a: ids by structure
in  c: index by structure
in  m: mask by operator
in  e: past key 0 indexed "written at an index" axis=2 ~ g by operator
in  f: past value 0 indexed "written at an index" axis=2 ~ i by operator
out g: present key 0 indexed "written at an index" axis=2 ~ e by operator
out i: present value 0 indexed "written at an index" axis=2 ~ f by operator
out y: logits by structure
`},
}

// TestUnseen finds the roles of these models.
func TestUnseen(t *testing.T) {
	for _, e := range unseen {
		t.Run(e.name, func(t *testing.T) {
			if got := lines(of(t, graphtest.Model(t, e.model))); got != strings.TrimPrefix(e.want, "\n") {
				t.Errorf("got\n%swant%s", got, e.want)
			}
		})
	}
}
