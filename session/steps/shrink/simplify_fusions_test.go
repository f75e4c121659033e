//go:build cgo

package shrink

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/sessiontest"
)

// fusionPatterns has every pattern once, in a chain that starts at x. MEAN(v) is the mean over the
// last axis, which is written in two ways, depending on the opset.
const fusionPatterns = `
input ids i64[b,s]
input x T[b,s,8]
init words T[50,8] 0.5 -0.25 1 2 0.75 -1.5 0.125 3 -2 1.25 0.375
init places T[6,8] 0.25 -0.5 1.5 0.75 2 -1 0.625
init count i64[1,6] 0 1 2 3 4 5
init zero i64[1] 0
init one i64[1] 1
init ax i64[1] -1
init two T[] 2
init three T[] 3
init unit T[] 1
init half T[] 0.5
init root T[] 1.4142135
init factor T[] 0.7978846
init cubic T[] 0.044715
init alpha T[] 1.702
init six T[] 6
init nought T[] 0
init eps T[] 0.001
init w T[8] 1 0.5 2 1.5 0.75 1.25 0.25 3
init c T[8] 0.5 1 -1 0.25 2 0.75 -0.5 1.5
init m T[8,8] 0.25 -0.5 0.125 0.75 -0.25 0.5 0.375
sh = Shape(ids)
sl = Gather(sh, one)
at = Slice(count, zero, sl, one)
ew = Gather(words, ids)
ep = Gather(places, at)
e0 = Add(ew, ep)
n0 = MEAN(e0)
n1 = Sub(e0, n0)
n2 = Pow(n1, two)
n3 = MEAN(n2)
n4 = Add(n3, eps)
n5 = Sqrt(n4)
n6 = Div(n1, n5)
n7 = Mul(n6, w)
n8 = Add(n7, c)
p0 = MatMul(n8, m)
p1 = Add(p0, c)
p2 = Add(p1, x)
q0 = MEAN(p2)
q1 = Sub(p2, q0)
q2 = Mul(q1, q1)
q3 = MEAN(q2)
q4 = Add(q3, eps)
q5 = Sqrt(q4)
q6 = Reciprocal(q5)
q7 = Mul(q1, q6)
q8 = Mul(q7, w)
g0 = MatMul(q8, m)
g1 = Add(g0, c)
g2 = Div(g1, root)
g3 = Erf(g2)
g4 = Add(g3, unit)
g5 = Mul(g1, g4)
g6 = Mul(g5, half)
r0 = Add(g6, p2)
r1 = Mul(r0, r0)
r2 = MEAN(r1)
r3 = Add(r2, eps)
r4 = Sqrt(r3)
r5 = Div(r0, r4)
r6 = Mul(r5, w)
t0 = Pow(r6, three)
t1 = Mul(t0, cubic)
t2 = Add(t1, r6)
t3 = Mul(t2, factor)
t4 = Tanh(t3)
t5 = Add(t4, unit)
t6 = Mul(r6, half)
t7 = Mul(t6, t5)
s0 = Sigmoid(t7)
s1 = Mul(s0, t7)
u0 = Mul(s1, alpha)
u1 = Sigmoid(u0)
u2 = Mul(s1, u1)
h0 = Add(u2, three)
h1 = Clip(h0, nought, six)
h2 = Mul(u2, h1)
h3 = Div(h2, six)
k0 = Softplus(h3)
k1 = Tanh(k0)
k2 = Mul(h3, k1)
z0 = Div(k2, root)
z1 = Erf(z0)
z2 = Add(unit, z1)
z = Mul(k2, z2)
v0 = Mul(z, z)
v1 = MEAN(v0)
v2 = Add(v1, eps)
v3 = Sqrt(v2)
y = Div(z, v3)
output y T[b,s,8]
output r0 T`

// TestFusions fuses the patterns into the operators of each opset, or into the runtime's own
// operators if the opset has none. The proof compares the results with those of the original.
func TestFusions(t *testing.T) {
	env := sessiontest.Env(t)
	const microsoft = "com.microsoft::"
	runtime := map[string]int{
		microsoft + "EmbedLayerNormalization": 1, microsoft + "SkipLayerNormalization": 1, microsoft + "SkipSimplifiedLayerNormalization": 1,
		microsoft + "BiasGelu": 1, "HardSwish": 1,
	}
	for _, c := range []struct {
		opset int
		elem  string
		want  map[string]int
	}{
		{14, "f32", map[string]int{"SimplifiedLayerNormalization": 1, microsoft + "FastGelu": 1, microsoft + "Gelu": 1, microsoft + "QuickGelu": 2, "Mish": 0}},
		{17, "f16", map[string]int{"SimplifiedLayerNormalization": 1, microsoft + "FastGelu": 1, microsoft + "Gelu": 1, microsoft + "QuickGelu": 2, "Mish": 0}},
		{20, "f32", map[string]int{"SimplifiedLayerNormalization": 1, "Gelu": 2, microsoft + "QuickGelu": 2, "Mish": 1}},
		{23, "f16", map[string]int{"RMSNormalization": 1, "Gelu": 2, microsoft + "QuickGelu": 2, "Mish": 1}},
		{24, "f32", map[string]int{"RMSNormalization": 1, "Gelu": 2, "Swish": 2, "Mish": 1}},
	} {
		t.Run(fmt.Sprintf("%s in %d", c.elem, c.opset), func(t *testing.T) {
			after := fusedOps(t, env, c.opset, c.elem)
			for _, want := range []map[string]int{runtime, c.want} {
				for op, n := range want {
					if after[op] != n {
						t.Errorf("%d times %s, want %d; there are %v", after[op], op, n, after)
					}
				}
			}
		})
	}
}

// fusedOps counts the operators that simplify with all fusions and its proof makes of the patterns.
func fusedOps(t *testing.T, env session.Env, opset int, elem string) map[string]int {
	t.Helper()
	text := strings.ReplaceAll(fusionPatterns, " T[", " "+elem+"[")
	text = strings.ReplaceAll(text, "output r0 T", "output r0 "+elem)
	for _, v := range []string{"e0", "n2", "p2", "q2", "r1", "v0"} {
		mean := fmt.Sprintf("ReduceMean(%s) axes=[-1]", v)
		if opset >= 18 {
			mean = fmt.Sprintf("ReduceMean(%s, ax)", v)
		}
		text = strings.ReplaceAll(text, "MEAN("+v+")", mean)
	}
	m := graphtest.Model(t, fmt.Sprintf("opset %d%s", opset, text))
	result, err := (&Simplify{Fuse: true}).Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*simplifyReport)
	if result.No || r.Proof == nil || len(r.Proof.LeftOut) > 0 || r.Proof.Note != "" {
		t.Errorf("the proof is %+v", r.Proof)
	}
	return r.After.Ops
}
