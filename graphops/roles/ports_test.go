package roles_test

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/roles"
)

// cached joins keys and values with a past before the attention.
const cached = `input e f32[b,2,p,8]
input f f32[b,2,p,8]
ka = Concat(e, kh) axis=2
va = Concat(f, vh) axis=2
g = Identity(ka)
i = Identity(va)
output g f32[b,2,t,8]
output i f32[b,2,t,8]
`

const cachedWant = `in  e: past key 0 concat "grows" axis=2 ~ g by structure
in  f: past value 0 concat "grows" axis=2 ~ i by structure
out g: present key 0 concat "grows" axis=2 ~ e by structure
out i: present value 0 concat "grows" axis=2 ~ f by structure
out y: logits by structure
`

// ports are models for the roles that are not a cache.
var ports = []example{
	{"positions of angles", strings.ReplaceAll(head, "kh =", "k9 =") + `
input c i64[b,s]
init freq f32[1,4] 0.1
init last i64[1] 2
pos = Cast(c) to=1
p3 = Unsqueeze(pos, last)
angle = MatMul(p3, freq)
both = Concat(angle, angle) axis=-1
cos = Cos(both)
init one i64[1] 1
cos4 = Unsqueeze(cos, one)
kh = Mul(k9, cos4)
` + cached + tail, `
in  a: ids by structure
in  c: positions by structure
` + cachedWant},
	{"positions of a table of angles", strings.ReplaceAll(head, "kh =", "k9 =") + `
input c i64[b,s]
init cs f32[64,8] 0.1
cos = Gather(cs, c)
init one i64[1] 1
cos4 = Unsqueeze(cos, one)
kh = Mul(k9, cos4)
` + cached + tail, `
in  a: ids by structure
in  c: positions by structure
` + cachedWant},
	{"rotary operator", strings.ReplaceAll(head, "kh =", "k9 =") + `
input c i64[b,s]
init cs f32[64,4] 0.1
kh = com.microsoft::RotaryEmbedding(k9, c, cs, cs)
` + cached + tail, `
in  a: ids by structure
in  c: positions by structure
` + cachedWant},
	{"positions with an offset", strings.Replace(head, "x = Gather(table, a)", `input c i64[b,s]
init two i64[] 2
c2 = Add(c, two)
init wide f32[80,16] 0.1
at = Gather(wide, c2)
tok = Gather(table, a)
x = Add(tok, at)`, 1) + cached + tail, `
in  a: ids by structure
in  c: positions by structure
` + cachedWant},
	{"positions by name only", strings.Replace(head, "x = Gather(table, a)", `input position_ids i64[b,s]
init wide f32[80,16] 0.1
at = Gather(wide, position_ids)
tok = Gather(table, a)
x = Add(tok, at)`, 1) + cached + tail, `
in  a: ids by structure
in  position_ids: positions by structure [positions and not token ids: only its name says so]
` + cachedWant},
	{"a mask that is counted", strings.Replace(head, "x = Gather(table, a)", `input c i64[b,s]
init ax i64[] 1
up = CumSum(c, ax)
valid = Mul(up, c)
init less i64[] 1
pos = Sub(valid, less)
init wide f32[80,16] 0.1
at = Gather(wide, pos)
tok = Gather(table, a)
x = Add(tok, at)`, 1) + cached + tail, `
in  a: ids by structure
in  c: mask by structure
` + cachedWant},
	{"padding found by ids", strings.Replace(head, "x = Gather(table, a)", `init pad i64[] 1
is = Equal(a, pad)
not = Not(is)
num = Cast(not) to=7
init ax i64[] 1
pos = CumSum(num, ax)
init wide f32[80,16] 0.1
at = Gather(wide, pos)
tok = Gather(table, a)
x = Add(tok, at)`, 1) + cached + tail, `
in  a: ids by structure
` + cachedWant},
	{"embeddings", strings.Replace(strings.Replace(head, "input a i64[b,s]\n", "input x0 f32[b,s,16]\n", 1), "Gather(table, a)", "Identity(x0)", 1) + cached + tail, `
in  x0: embeddings by structure
in  e: past key 0 concat "grows" axis=2 ~ g by structure
in  f: past value 0 concat "grows" axis=2 ~ i by structure
out g: present key 0 concat "grows" axis=2 ~ e by structure
out i: present value 0 concat "grows" axis=2 ~ f by structure
out y: logits by structure [scores of the next token: there is no table of tokens to compare it with]
`},
	{"beams", head + `
input c i64[b]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
ec = Gather(e, c)
fc = Gather(f, c)
ka = Concat(ec, kh) axis=2
va = Concat(fc, vh) axis=2
g = Identity(ka)
i = Identity(va)
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + tail, `
in  a: ids by structure
in  c: beams by operator
` + cachedWant},
	{"past in a function", strings.Replace(head, "input a", `function local Grow(old, new) -> (all)
all = Concat(old, new) axis=2
end
opset local 1
input a`, 1) + `
input e f32[b,2,p,8]
input f f32[b,2,p,8]
ka = local::Grow(e, kh)
va = local::Grow(f, vh)
g = Identity(ka)
i = Identity(va)
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + tail, `
in  a: ids by structure
` + cachedWant},
	{"past in a branch", strings.Replace(head, "input a", `graph with
k1 = Concat(e, kh) axis=2
v1 = Concat(f, vh) axis=2
output k1 f32[b,2,t,8]
output v1 f32[b,2,t,8]
end
graph without
k2 = Identity(kh)
v2 = Identity(vh)
output k2 f32[b,2,t,8]
output v2 f32[b,2,t,8]
end
input a`, 1) + `
input c bool[1]
input e f32[b,2,p,8]
input f f32[b,2,p,8]
ka, va = If(c) then_branch=@with else_branch=@without
g = Identity(ka)
i = Identity(va)
output g f32[b,2,t,8]
output i f32[b,2,t,8]
` + tail, `
in  a: ids by structure
in  c: branch by structure
` + cachedWant},
	{"segments and words of a fused embedding", `opset 17
opset com.microsoft 1
input a i32[b,s]
input c i32[b,s]
input d i32[b,s]
init table f32[50,16] 0.5
init where f32[64,16] 0.5
init which f32[2,16] 0.5
init one f32[16] 1
h, m = com.microsoft::EmbedLayerNormalization(a, c, table, where, which, one, one, d)
output h f32[b,s,16]
`, `
in  a: ids by operator
in  c: segments by operator
in  d: mask by structure
out h: hidden by structure
`},
	{"an attention alone", `opset 23
input q f32[b,2,s,8]
input k f32[b,2,t,8]
input v f32[b,2,t,8]
y = Attention(q, k, v)
output y f32[b,2,s,8]
`, `
in  q: unknown by none
in  k: unknown by none
in  v: unknown by none
out y: unknown by none
`},
	{"categories of a recommender", `opset 17
input one i64[b]
input two i64[b]
init first f32[100,8] 0.1
init second f32[30,8] 0.1
x = Gather(first, one)
y = Gather(second, two)
z = Add(x, y)
init w f32[8,1] 0.1
out = MatMul(z, w)
output out f32[b,1]
`, `
in  one: unknown by none
in  two: unknown by none
out out: unknown by none
`},
	{"tokens that are returned", `opset 17
input a i64[b,s]
input n i64[b,1]
y = Concat(a, n) axis=1
output y i64[b,t]
`, `
in  a: unknown by none
in  n: unknown by none
out y: unknown by none
`},
}

// TestPorts finds the roles of inputs and outputs that are not a cache.
func TestPorts(t *testing.T) {
	for _, e := range ports {
		t.Run(e.name, func(t *testing.T) {
			if got := lines(of(t, graphtest.Model(t, e.model))); got != strings.TrimPrefix(e.want, "\n") {
				t.Errorf("got\n%swant%s", got, e.want)
			}
		})
	}
}

// TestGiven replaces roles by those that the user states.
func TestGiven(t *testing.T) {
	m := graphtest.Model(t, `opset 17
input a i64[b,s]
input mem f32[b,p,4]
init w f32[4,4] 0.1
x = MatMul(mem, w)
y = Tanh(x)
more = Cast(a) to=1
output y f32[b,p,4]
output more f32[b,s]
`)
	if got := lines(of(t, m)); strings.Contains(got, "past") {
		t.Errorf("without --role: %s", got)
	}
	var given []roles.Given
	for _, s := range []string{"mem=past:y", "a=ids", "more=unknown"} {
		g, err := roles.ParseGiven(s)
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, g)
	}
	const want = `in  a: ids by given
in  mem: past 0 given "replaced" ~ y by given
out y: present 0 given "replaced" ~ mem by given
out more: unknown by given
`
	if got := lines(of(t, m, given...)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestGivenMovesAPast gives a past another present. The old one then has no past.
func TestGivenMovesAPast(t *testing.T) {
	m := graphtest.Model(t, head+cached+tail)
	got := lines(of(t, m, roles.Given{Name: "e", Kind: roles.Past, Other: "i"}))
	for _, want := range []string{"in  e: past 0 given", "~ i by given", "out i: present", "in  f: past value 0 concat \"grows\" axis=2 by", "out g: present key 0 concat \"grows\" axis=2 by"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestGivenErrors checks what is said about a role that cannot be.
func TestGivenErrors(t *testing.T) {
	for s, want := range map[string]string{
		"a":             "is not NAME=ROLE",
		"a=tokens":      "is not NAME=ROLE, where ROLE is one of unknown, ids,",
		"a=past:":       "names no other input or output",
		"nobody=ids":    `the model has no input or output "nobody"`,
		"a=logits":      `"a" is an input, which cannot be logits`,
		"y=ids":         `"y" is an output, which cannot be ids`,
		"e=past:nobody": `the model has no output "nobody"`,
		"e=past:a":      `the model has no output "a"`,
	} {
		g, err := roles.ParseGiven(s)
		if err == nil {
			_, err = roles.Find(t.Context(), graphtest.Model(t, head+cached+tail), roles.Options{Given: []roles.Given{g}})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", s, err, want)
		}
	}
	if g, err := roles.ParseGiven("odd=name:0=past:other=x:1"); err != nil || g.Name != "odd=name:0" || g.Other != "other=x:1" {
		t.Errorf("%+v, %v", g, err)
	}
}
