package roles_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/roles"
	"lathe/session/text"
)

// example is a model with the roles of its ports.
type example struct{ name, model, want string }

// head begins a decoder: token ids become hidden states x of width 16, and q, k, v.
const head = `opset 23
opset com.microsoft 1
input a i64[b,s]
init table f32[50,16] 0.5
init w f32[16,16] 0.1
x = Gather(table, a)
q = MatMul(x, w)
k = MatMul(x, w)
v = MatMul(x, w)
init split i64[4] 0 0 2 8
q0 = Reshape(q, split)
qh = Transpose(q0) perm=[0,2,1,3]
k0 = Reshape(k, split)
kh = Transpose(k0) perm=[0,2,1,3]
v0 = Reshape(v, split)
vh = Transpose(v0) perm=[0,2,1,3]
`

// tail is the attention of queries qh, keys ka and values va, and the scores of the next token.
const tail = `kt = Transpose(ka) perm=[0,1,3,2]
sc = MatMul(qh, kt)
p = Softmax(sc)
ctx = MatMul(p, va)
back = Transpose(ctx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
` + scores

const scores = `init u f32[16,50] 0.1
y = MatMul(h, u)
output y f32[b,s,50]
`

// examples are models for the rows of the table of forms. Their names say nothing.
var examples = []example{
	{"group-query", head + `
input c i32[b]
input d i32[]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, c, d) num_heads=2 kv_num_heads=2
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + scores, `
in  a: ids by structure
in  c: lengths by operator
in  d: total by operator
in  e: past key 0 group-query "grows or has room" axis=2 ~ g by operator
in  f: past value 0 group-query "grows or has room" axis=2 ~ i by operator
out g: present key 0 group-query "grows or has room" axis=2 ~ e by operator
out i: present value 0 group-query "grows or has room" axis=2 ~ f by operator
out y: logits by structure
`},
	{"group-query with a mask and a window", head + `
input c i64[b,t]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
init one i64[1] 1
sum = ReduceSum(c, one) keepdims=0
less = Sub(sum, one)
lengths = Cast(less) to=6
shape = Shape(c)
total = Gather(shape, one)
total32 = Cast(total) to=6
h, g, i = com.microsoft::GroupQueryAttention(q, k, v, e, f, lengths, total32) num_heads=2 kv_num_heads=2 local_window_size=4 sliding_window_cache=1
output g f32[b,2,p,8]
output i f32[b,2,p,8]
` + scores, `
in  a: ids by structure
in  c: mask by structure
in  e: past key 0 group-query "slides" axis=2 window=4 ~ g by operator
in  f: past value 0 group-query "slides" axis=2 window=4 ~ i by operator
out g: present key 0 group-query "slides" axis=2 window=4 ~ e by operator
out i: present value 0 group-query "slides" axis=2 window=4 ~ f by operator
out y: logits by structure
`},
	{"sparse", head + `
input c i32[]
input d i32[b]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
init rows i32[1,2] 0 1
h, g, i = com.microsoft::SparseAttention(q, k, v, e, f, rows, rows, c, d) num_heads=2 kv_num_heads=2 sparse_block_size=1
output g f32[b,2,p,8]
output i f32[b,2,p,8]
` + scores, `
in  a: ids by structure
in  c: total by operator
in  d: lengths by operator
in  e: past key 0 sparse "has room" axis=2 ~ g by operator
in  f: past value 0 sparse "has room" axis=2 ~ i by operator
out g: present key 0 sparse "has room" axis=2 ~ e by operator
out i: present value 0 sparse "has room" axis=2 ~ f by operator
out y: logits by structure
`},
	{"paged", `opset 23
opset com.microsoft 1
input q f32[n,16]
input e f32[m,4,2,8]
input f f32[m,4,2,8]
input c i32[j]
input d i32[b]
input o i32[b,l]
z = Sigmoid(q)
h, g, i = com.microsoft::PagedAttention(z, z, z, e, f, c, d, o) num_heads=2 kv_num_heads=2
output h f32[n,16]
output g f32[m,4,2,8]
output i f32[m,4,2,8]
`, `
in  q: unknown by none
in  e: past key 0 paged "has room" ~ g by operator
in  f: past value 0 paged "has room" ~ i by operator
in  c: unknown by none
in  d: past-length by operator
in  o: unknown by none
out h: unknown by none
out g: present key 0 paged "has room" ~ e by operator
out i: present value 0 paged "has room" ~ f by operator
`},
	{"multi-head", head + `
input c i32[b,t]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
h, g, i = com.microsoft::MultiHeadAttention(q, k, v, , c, , e, f) num_heads=2
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + scores, `
in  a: ids by structure
in  c: mask by operator
in  e: past key 0 multi-head "grows" axis=2 ~ g by operator
in  f: past value 0 multi-head "grows" axis=2 ~ i by operator
out g: present key 0 multi-head "grows" axis=2 ~ e by operator
out i: present value 0 multi-head "grows" axis=2 ~ f by operator
out y: logits by structure
`},
	{"multi-head with one buffer", head + `
input c i32[1]
input d i32[b,1,p]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
h, g, i = com.microsoft::DecoderMaskedMultiHeadAttention(q, k, v, , , e, f, c, , d) num_heads=2 past_present_share_buffer=1
output g f32[b,2,p,8]
output i f32[b,2,p,8]
` + scores, `
in  a: ids by structure
in  c: past-length by operator
in  d: beams by operator
in  e: past key 0 multi-head "has room" axis=2 ~ g by operator
in  f: past value 0 multi-head "has room" axis=2 ~ i by operator
out g: present key 0 multi-head "has room" axis=2 ~ e by operator
out i: present value 0 multi-head "has room" axis=2 ~ f by operator
out y: logits by structure
`},
	{"attention", head + `
input c i32[b,t]
input e f32[2,b,2,p,8]
init qkv f32[16,48] 0.1
h, g = com.microsoft::Attention(x, qkv, , c, e) num_heads=2 unidirectional=1
output g f32[2,b,2,t,8]
` + scores, `
in  a: ids by structure
in  c: mask by operator
in  e: past key and value 0 attention "grows" axis=3 ~ g by operator
out g: present key and value 0 attention "grows" axis=3 ~ e by operator
out y: logits by structure
`},
	{"standard", head + `
input c bool[b,1,s,t]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
h, g, i = Attention(q, k, v, c, e, f) q_num_heads=2 kv_num_heads=2
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + scores, `
in  a: ids by structure
in  c: mask by operator
in  e: past key 0 standard "grows" axis=2 ~ g by operator
in  f: past value 0 standard "grows" axis=2 ~ i by operator
out g: present key 0 standard "grows" axis=2 ~ e by operator
out i: present value 0 standard "grows" axis=2 ~ f by operator
out y: logits by structure
`},
	{"decoder", head + `
input c f32[l,b,16]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
init off bool[] 0
init kv f32[16,32] 0.1
init bias f32[48] 0.1
h, g, i = com.microsoft::DecoderAttention(x, c, w, kv, bias, , e, f, off, off, off, off) num_heads=2
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + scores, `
in  a: ids by structure
in  c: encoded by structure
in  e: past key 0 decoder "grows" axis=2 ~ g by operator
in  f: past value 0 decoder "grows" axis=2 ~ i by operator
out g: present key 0 decoder "grows" axis=2 ~ e by operator
out i: present value 0 decoder "grows" axis=2 ~ f by operator
out y: logits by structure
`},
	{"linear", head + `
input e f32[b,2,8,8]
h, g = com.microsoft::LinearAttention(q, k, v, e) q_num_heads=2 kv_num_heads=2
output g f32[b,2,8,8]
` + scores, `
in  a: ids by structure
in  e: past state 0 linear "replaced" ~ g by operator
out g: present state 0 linear "replaced" ~ e by operator
out y: logits by structure
`},
	{"recurrent", head + `
input e f32[1,b,16]
input f f32[1,b,16]
init wl f32[1,64,16] 0.1
steps = Transpose(x) perm=[1,0,2]
all, g, i = LSTM(steps, wl, wl, , , e, f) hidden_size=16
init first i64[1] 1
one = Squeeze(all, first)
h = Transpose(one) perm=[1,0,2]
output g f32[1,b,16]
output i f32[1,b,16]
` + scores, `
in  a: ids by structure
in  e: past state 0 recurrent "replaced" ~ g by operator
in  f: past state 1 recurrent "replaced" ~ i by operator
out g: present state 0 recurrent "replaced" ~ e by operator
out i: present state 1 recurrent "replaced" ~ f by operator
out y: logits by structure
`},
	{"conv", head + `
input e f32[b,16,3]
init wc f32[16,1,4] 0.1
xt = Transpose(x) perm=[0,2,1]
ct, g = com.microsoft::CausalConvWithState(xt, wc, , e)
h = Transpose(ct) perm=[0,2,1]
output g f32[b,16,3]
` + scores, `
in  a: ids by structure
in  e: past conv state 0 conv "replaced" ~ g by operator
out g: present conv state 0 conv "replaced" ~ e by operator
out y: logits by structure
`},
	{"concat", head + `
input c i64[b,t]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
ka = Concat(e, kh) axis=2
va = Concat(f, vh) axis=-2
g = Identity(ka)
i = Identity(va)
kt = Transpose(ka) perm=[0,1,3,2]
sc0 = MatMul(qh, kt)
init ax i64[2] 1 2
m0 = Unsqueeze(c, ax)
m1 = Cast(m0) to=1
init one f32[] 1
m2 = Sub(one, m1)
init low f32[] -10000
m3 = Mul(m2, low)
sc = Add(sc0, m3)
p = Softmax(sc)
ctx = MatMul(p, va)
back = Transpose(ctx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + scores, `
in  a: ids by structure
in  c: mask by structure
in  e: past key 0 concat "grows" axis=2 ~ g by structure
in  f: past value 0 concat "grows" axis=2 ~ i by structure
out g: present key 0 concat "grows" axis=2 ~ e by structure
out i: present value 0 concat "grows" axis=2 ~ f by structure
out y: logits by structure
`},
	{"concat in another layout, quantized", head + `
input e i8[b,p,2,8]
input f i8[b,p,2,8]
init scale f32[] 0.1
init zero i8[] 0
e1 = DequantizeLinear(e, scale, zero)
f1 = DequantizeLinear(f, scale, zero)
kc = Concat(e1, k0) axis=1
vc = Concat(f1, v0) axis=1
g = QuantizeLinear(kc, scale, zero)
i = QuantizeLinear(vc, scale, zero)
ka = Transpose(kc) perm=[0,2,1,3]
va = Transpose(vc) perm=[0,2,1,3]
output g i8[b,t,2,8]
output i i8[b,t,2,8]
` + tail, `
in  a: ids by structure
in  e: past key 0 concat "grows" axis=1 ~ g by structure
in  f: past value 0 concat "grows" axis=1 ~ i by structure
out g: present key 0 concat "grows" axis=1 ~ e by structure
out i: present value 0 concat "grows" axis=1 ~ f by structure
out y: logits by structure
`},
	{"window", head + `
input e f32[b,2,4,8]
input f f32[b,2,4,8]
ka = Concat(e, kh) axis=2
va = Concat(f, vh) axis=2
init from i64[1] -4
init to i64[1] 9223372036854775807
init axis i64[1] 2
g = Slice(ka, from, to, axis)
i = Slice(va, from, to, axis)
output g f32[b,2,4,8]
output i f32[b,2,4,8]
` + tail, `
in  a: ids by structure
in  e: past key 0 window "slides" axis=2 window=4 ~ g by structure
in  f: past value 0 window "slides" axis=2 window=4 ~ i by structure
out g: present key 0 window "slides" axis=2 window=4 ~ e by structure
out i: present value 0 window "slides" axis=2 window=4 ~ f by structure
out y: logits by structure
`},
	{"conv-concat", head + `
input e f32[b,16,3]
init wc f32[16,1,4] 0.1
xt = Transpose(x) perm=[0,2,1]
long = Concat(e, xt) axis=2
init from i64[1] -3
init to i64[1] 9223372036854775807
init axis i64[1] 2
g = Slice(long, from, to, axis)
ct = Conv(long, wc) group=16
h = Transpose(ct) perm=[0,2,1]
output g f32[b,16,3]
` + scores, `
in  a: ids by structure
in  e: past conv state 0 conv-concat "replaced" axis=2 ~ g by structure
out g: present conv state 0 conv-concat "replaced" axis=2 ~ e by structure
out y: logits by structure
`},
	{"indexed", head + `
input c i64[s,1]
input e f32[b,2,64,8]
input f f32[b,2,64,8]
init ps i64[4] 64 -1 2 8
et = Transpose(e) perm=[2,0,1,3]
ku = Transpose(kh) perm=[2,0,1,3]
e1 = ScatterND(et, c, ku)
ka = Transpose(e1) perm=[1,2,0,3]
ft = Transpose(f) perm=[2,0,1,3]
vu = Transpose(vh) perm=[2,0,1,3]
f1 = ScatterND(ft, c, vu)
va = Transpose(f1) perm=[1,2,0,3]
g = Identity(ka)
i = Identity(va)
output g f32[b,2,64,8]
output i f32[b,2,64,8]
` + tail, `
in  a: ids by structure
in  c: index by structure
in  e: past key 0 indexed "written at an index" axis=2 ~ g by structure
in  f: past value 0 indexed "written at an index" axis=2 ~ i by structure
out g: present key 0 indexed "written at an index" axis=2 ~ e by structure
out i: present value 0 indexed "written at an index" axis=2 ~ f by structure
out y: logits by structure
`},
	{"indexed by TensorScatter", strings.Replace(head, "opset 23", "opset 24", 1) + `
input c i64[b]
input d i64[b]
input e f32[b,2,64,8]
input f f32[b,2,64,8]
g = TensorScatter(e, kh, c)
i = TensorScatter(f, vh, c) mode='circular'
ctx = Attention(qh, g, i, , , , d)
back = Transpose(ctx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
output g f32[b,2,64,8]
output i f32[b,2,64,8]
` + scores, `
in  a: ids by structure
in  c: index by structure
in  d: lengths by operator
in  e: past key 0 indexed "written at an index" axis=2 ~ g by operator
in  f: past value 0 indexed "slides" axis=2 window=64 ~ i by operator
out g: present key 0 indexed "written at an index" axis=2 ~ e by operator
out i: present value 0 indexed "slides" axis=2 window=64 ~ f by operator
out y: logits by structure
`},
	{"cross", head + `
input c i64[b,l]
input ka f32[b,2,l,8]
input va f32[b,2,l,8]
kt = Transpose(ka) perm=[0,1,3,2]
sc0 = MatMul(qh, kt)
init ax i64[2] 1 2
m0 = Unsqueeze(c, ax)
m1 = Cast(m0) to=9
init low f32[] -10000
sc = Where(m1, sc0, low)
p = Softmax(sc)
ctx = MatMul(p, va)
back = Transpose(ctx) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
` + scores, `
in  a: ids by structure
in  c: mask cross by structure
in  ka: past key 0 cross cross "only read" by structure [the keys and values are those of an encoder, or of a fixed prompt]
in  va: past value 0 cross cross "only read" by structure [the keys and values are those of an encoder, or of a fixed prompt]
out y: logits by structure
`},
	{"filled", head + `
input c f32[b,l,16]
ck = MatMul(c, w)
cv = MatMul(c, w)
ck0 = Reshape(ck, split)
cv0 = Reshape(cv, split)
ka = Transpose(ck0) perm=[0,2,1,3]
va = Transpose(cv0) perm=[0,2,1,3]
output ka f32[b,2,l,8]
output va f32[b,2,l,8]
` + tail, `
in  a: ids by structure
in  c: encoded by structure
out ka: present key 0 filled cross "only read" by structure
out va: present value 0 filled cross "only read" by structure
out y: logits by structure
`},
	{"loop", head + `
input e f32[b,16]
graph step
input st f32[b,16]
input el f32[b,16]
decayed = Mul(st, el)
en = Add(decayed, el)
es = Identity(en)
output en f32[b,16]
output es f32[b,16]
end
xt = Transpose(x) perm=[1,0,2]
g, hs = Scan(e, xt) body=@step num_scan_inputs=1
h = Transpose(hs) perm=[1,0,2]
output g f32[b,16]
` + scores, `
in  a: ids by structure
in  e: past state 0 loop "replaced" ~ g by structure
out g: present state 0 loop "replaced" ~ e by structure
out y: logits by structure
`},
	{"updated", head + `
input e f32[b,2,8,8]
decay = Sigmoid(kh)
init one f32[1] 0.9
kept = Mul(e, one)
kt = Transpose(kh) perm=[0,1,3,2]
outer = MatMul(kt, vh)
g = Add(kept, outer)
read = MatMul(qh, g)
back = Transpose(read) perm=[0,2,1,3]
init flat i64[3] 0 0 16
h = Reshape(back, flat)
output g f32[b,2,8,8]
` + scores, `
in  a: ids by structure
in  e: past state 0 updated "replaced" ~ g by structure
out g: present state 0 updated "replaced" ~ e by structure
out y: logits by structure
`},
	{"named", head + `
input state_in f32[b,16]
mixed = MatMul(state_in, w)
one = ReduceMean(x)
state_out = Tanh(mixed)
h = Add(x, one)
output state_out f32[b,16]
` + scores, `
in  a: ids by structure
in  state_in: past state 0 named "replaced" ~ state_out by name [that one continues the other: only their names say so]
out state_out: present state 0 named "replaced" ~ state_in by name [that one continues the other: only their names say so]
out y: logits by structure
`},
	{"two states of a layer, beside keys and values of others", head + `
input past_key_values.3.conv_state f32[b,16]
input past_key_values.3.recurrent_state f32[b,16]
mixed = MatMul(past_key_values.3.conv_state, w)
other = MatMul(past_key_values.3.recurrent_state, w)
one = ReduceMean(x)
present.3.recurrent_state = Tanh(other)
present.3.conv_state = Tanh(mixed)
h = Add(x, one)
output present.3.recurrent_state f32[b,16]
output present.3.conv_state f32[b,16]
` + scores, `
in  a: ids by structure
in  past_key_values.3.conv_state: past state 3 named "replaced" ~ present.3.conv_state by name [that one continues the other: only their names say so]
in  past_key_values.3.recurrent_state: past state 3 named "replaced" ~ present.3.recurrent_state by name [that one continues the other: only their names say so]
out present.3.recurrent_state: present state 3 named "replaced" ~ past_key_values.3.recurrent_state by name [that one continues the other: only their names say so]
out present.3.conv_state: present state 3 named "replaced" ~ past_key_values.3.conv_state by name [that one continues the other: only their names say so]
out y: logits by structure
`},
}

// TestForms finds the roles of a model for each form. Names in the models say nothing, except in
// the row for names.
func TestForms(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			r := of(t, graphtest.Model(t, e.model))
			if got := lines(r); got != strings.TrimPrefix(e.want, "\n") {
				t.Errorf("got\n%swant%s", got, e.want)
			}
			for _, p := range r.Pairs {
				seen[p.Form.Name] = true
			}
		})
	}
	for _, f := range roles.Forms() {
		if !seen[f.Name] && f.Name != "given" {
			t.Errorf("no example has the form %s", f.Name)
		}
	}
}

var update = flag.Bool("update", false, "write docs/roles.md again")

// TestRolesDocument holds docs/roles.md against the table of forms.
func TestRolesDocument(t *testing.T) {
	const path = "../../docs/roles.md"
	want := document()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of forms says; go test ./graphops/roles -run TestRolesDocument -update writes it again", path)
	}
}

const documentHead = `# Roles

A language model has inputs whose values depend on each other: token ids, a mask, positions, and a
cache that the run before returned. ` + "`lathe inspect`" + ` says which input and output has which role, and
by what that is known: *operator* (a slot of an operator, such as past_key of GroupQueryAttention),
*structure* (how nodes are connected, and sizes), *name* (only if nothing else says it), or *given*
(` + "`--role`" + `). What no evidence shows is listed as assumed; what was not recognized is listed, too.

` + "`--role NAME=ROLE`" + ` states the role of an input or output, and ` + "`--role NAME=past:NAME`" + ` that an output
is the cache that continues an input. Generated inputs follow from the roles: a mask has a column
for each past and each new position, positions go on after the past, and lengths count both. The
roles are:

`

func document() string {
	var b strings.Builder
	b.WriteString(documentHead)
	b.WriteString("| role | what it is |\n|---|---|\n")
	for _, k := range roles.Kinds() {
		fmt.Fprintf(&b, "| %s | %s |\n", k, k.Title())
	}
	b.WriteString("\n## Caches and states\n\n| form | operator or structure | in a run it |\n|---|---|---|\n")
	for _, f := range roles.Forms() {
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s |\n", f.Name, f.Title, f.Growth)
	}
	for _, f := range roles.Forms() {
		fmt.Fprintf(&b, "\n### %s\n", f.Name)
		about := f.About
		if ops := f.Operators(); len(ops) > 0 {
			var names []string
			for _, op := range ops {
				name := op.Name
				if op.Domain != "" {
					name = op.Domain + "." + name
				}
				names = append(names, name)
			}
			about += " Operators: " + strings.Join(names, ", ") + "."
		}
		for _, line := range append([]string{""}, text.Paragraphs(about, 100)...) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
