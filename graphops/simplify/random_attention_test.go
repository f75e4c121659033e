//go:build cgo

package simplify_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/graphops/simplify"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/ort/orttest"
	"lathe/session/sessiontest"
)

// TestAttentionAtRandom fuses attention that is written out in random ways, many side by side in one
// model. It runs both models without the runtime's own optimizations. Some masks hide whole rows.
func TestAttentionAtRandom(t *testing.T) {
	for _, opset := range []int{13, 17, 23} {
		t.Run(fmt.Sprint(opset), func(t *testing.T) { attentionsOf(t, opset) })
	}
}

func attentionsOf(t *testing.T, opset int) {
	if opset == 23 && opschema.CompareReleases(orttest.Chosen(t).Version, "1.30") < 0 {
		t.Skip("the Attention of 1.24 makes NaN of rows that a mask hides")
	}
	const count = 40
	m := graphtest.Model(t, randomAttention(opset, count))
	out, r, err := simplify.Simplify(t.Context(), m, simplify.Options{MaxGrowth: simplify.DefaultMaxGrowth, With: []string{"fuse-rotary", "fuse-attention", "fuse-qkv"}})
	if err != nil {
		t.Fatal(err)
	}
	made := r.After.Ops["Attention"] + r.After.Ops["com.microsoft::Attention"] + r.After.Ops["com.microsoft::MultiHeadAttention"]
	t.Logf("%d nodes became %d, %v", r.Before.Nodes, r.After.Nodes, r.After.Ops)
	if made != count {
		t.Errorf("%d of %d attentions were fused", made, count)
		for _, p := range r.Passes {
			for _, f := range p.Refused {
				t.Log(p.Name, f.Why)
			}
		}
	}
	fed, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{Seed: 1, Dims: map[string]int64{"batch": 3, "seq": 4, "keys": 5, "past": 2, "past+seq": 6}})
	if err != nil {
		t.Fatal(err)
	}
	runtime := sessiontest.Workers(t)
	want, got := sessiontest.Unoptimized(t, runtime, m, fed.Feeds), sessiontest.Unoptimized(t, runtime, out, fed.Feeds)
	for i, w := range want {
		if why := apartFrom(t, w, got[i]); why != "" {
			t.Errorf("%s: %s", w.Name, why)
		}
	}
}

// apartFrom says how two results differ, or "" if only by rounding. NaN must be in the same places.
func apartFrom(t *testing.T, a, b graphops.Got) string {
	t.Helper()
	x, err := a.Value.Tensor.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Value.Tensor.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	if len(x) != len(y) || len(x) == 0 {
		return fmt.Sprintf("%s of %s", tensor.FormatShape(b.Value.Tensor.Shape), tensor.FormatShape(a.Value.Tensor.Shape))
	}
	for i := range x {
		if math.IsNaN(x[i]) != math.IsNaN(y[i]) || math.Abs(x[i]-y[i]) > 1e-4*(1+math.Abs(x[i])) {
			return fmt.Sprintf("element %d is %g and was %g", i, y[i], x[i])
		}
	}
	return ""
}

// attentions writes a model line by line.
type attentions struct {
	r     *rand.Rand
	opset int
	lines []string
	n     int
}

func randomAttention(opset, count int) string {
	a := &attentions{r: rand.New(rand.NewPCG(uint64(opset), 7)), opset: opset}
	a.add(`opset %d
		input x f32[batch,seq,8]
		input other f32[batch,keys,8]
		input pastk f32[batch,2,past,4]
		input pastv f32[batch,2,past,4]
		input own bool[batch,1,seq,seq]
		input cross bool[batch,1,seq,keys]
		input joined bool[batch,1,seq,past+seq]
		input columns bool[batch,1,1,seq]
		input ccolumns bool[batch,1,1,keys]
		input jcolumns bool[batch,1,1,past+seq]
		input angle f32[batch,seq,2]
		init parts i64[4] 0 0 2 4
		init whole i64[3] 0 0 8
		init zero f32[] 0
		init low f32[] -3.4028234663852886e38
		init inf f32[] -inf
		init half f32[] 0.5
		init two f32[] 2
		init at1 i64[1] 1
		init from i64[1] 0
		init mid i64[1] 2
		init end i64[1] 9223372036854775807
		init last i64[1] 3
		init four i64[1] 4
		xs = Shape(x)
		items = Gather(xs, from)
		steps = Gather(xs, at1)
		all = Mul(items, mid)
		merged = Concat(all, steps, four) axis=0
		mergeds = Concat(all, steps, steps) axis=0
		aparts = Concat(items, mid, steps, steps) axis=0
		apart = Concat(items, mid, steps, four) axis=0
		both = Concat(angle, angle) axis=-1
		cosines = Cos(both)
		sines = Sin(both)
		cos = Unsqueeze(cosines, at1)
		sin = Unsqueeze(sines, at1)`, opset)
	for range count {
		a.one()
	}
	return strings.Join(a.lines, "\n")
}

// add adds lines; # is the number of the attention.
func (a *attentions) add(format string, args ...any) {
	a.lines = append(a.lines, strings.ReplaceAll(fmt.Sprintf(format, args...), "#", fmt.Sprint(a.n)))
}

func (a *attentions) pick(options ...string) string { return options[a.r.IntN(len(options))] }

func (a *attentions) weight(name string) string {
	numbers := make([]string, 64)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("%.3f", a.r.Float64()-0.5)
	}
	a.add("init %s f32[8,8] %s", name, strings.Join(numbers, " "))
	return name
}

// project writes a projection, of one or two nodes, to heads of batch × heads ×
// steps × size.
func (a *attentions) project(to, from string) {
	a.add("%s_p = MatMul(%s, %s)", to, from, a.weight(to+"_w"))
	flat := to + "_p"
	if a.r.IntN(2) == 0 {
		a.add("init %s_b f32[8] 0.1 0.2 -0.3 0.4 0.5 -0.6 0.7 0.8\n%s_a = Add(%s, %s_b)", to, to, flat, to)
		flat = to + "_a"
	}
	a.add("%s_4 = Reshape(%s, parts)\n%s = Transpose(%s_4) perm=[0,2,1,3]", to, flat, to, to)
}

// rotate writes a rotary embedding.
func (a *attentions) rotate(to, from string) {
	a.add(`%[1]s_l = Slice(%[2]s, from, mid, last)
		%[1]s_h = Slice(%[2]s, mid, end, last)
		%[1]s_n = Neg(%[1]s_h)
		%[1]s_t = Concat(%[1]s_n, %[1]s_l) axis=-1
		%[1]s_c = Mul(%[2]s, cos)
		%[1]s_s = Mul(%[1]s_t, sin)
		%[1]s = Add(%[1]s_c, %[1]s_s)`, to, from)
}

// one writes one attention: of x to itself, to another value, or with a cache.
func (a *attentions) one() {
	a.n++
	kind := a.pick("own", "cross", "joined", "rotated", "merged")
	source, rows, columns := "x", "own", "columns"
	if kind == "cross" {
		source, rows, columns = "other", "cross", "ccolumns"
	}
	a.project("q#", "x")
	a.project("k#", source)
	a.project("v#", source)
	q, k, v := "q#", "k#", "v#"
	switch kind {
	case "joined":
		rows, columns = "joined", "jcolumns"
		a.add("nk# = Concat(pastk, k#) axis=2\nnv# = Concat(pastv, v#) axis=-2\noutput nk# f32\noutput nv# f32")
		k, v = "nk#", "nv#"
	case "rotated":
		a.rotate("rq#", q)
		a.rotate("rk#", k)
		q, k = "rq#", "rk#"
	}
	if kind == "merged" {
		a.merged(rows, columns)
		return
	}
	a.scores(q, k)
	a.mask(rows, columns)
	a.add("o# = MatMul(p#, %s)\not# = Transpose(o#) perm=[0,2,1,3]\ny# = Reshape(ot#, whole)\noutput y# f32[batch,seq,8]", v)
}

// merged writes an attention whose products have one axis for batch and heads.
func (a *attentions) merged(rows, columns string) {
	a.add(`qm# = Reshape(q#, merged)
		km# = Reshape(k#, merged)
		vm# = Reshape(v#, merged)
		kt# = Transpose(km#) perm=[0,2,1]
		qk# = MatMul(qm#, kt#)
		sh# = Mul(qk#, half)
		sc# = Reshape(sh#, aparts)`)
	a.mask(rows, columns)
	a.add(`pm# = Reshape(p#, mergeds)
		om# = MatMul(pm#, vm#)
		o# = Reshape(om#, apart)
		ot# = Transpose(o#) perm=[0,2,1,3]
		y# = Reshape(ot#, whole)
		output y# f32[batch,seq,8]`)
}

func (a *attentions) scores(q, k string) {
	switch a.r.IntN(3) {
	case 0:
		a.add("kt# = Transpose(%s) perm=[0,1,3,2]\ns# = MatMul(%s, kt#)\nsc# = Mul(s#, half)", k, q)
	case 1:
		a.add("kt# = Transpose(%s) perm=[0,1,3,2]\ns# = MatMul(%s, kt#)\nsc# = Div(s#, two)", k, q)
	case 2:
		a.add("qs# = Mul(%s, half)\nku# = Transpose(%s) perm=[0,1,3,2]\nkt# = Mul(half, ku#)\nsc# = MatMul(qs#, kt#)", q, k)
	}
}

// mask writes the nodes between the scores and the probabilities.
func (a *attentions) mask(rows, columns string) {
	condition := a.pick(rows, columns)
	switch a.r.IntN(5) {
	case 0:
		a.add("p# = Softmax(sc#) axis=-1")
	case 1:
		a.add("m# = Where(%s, zero, %s)\nsm# = Add(sc#, m#)\np# = Softmax(sm#) axis=-1", condition, a.pick("low", "inf"))
	case 2:
		a.add("sm# = Where(%s, sc#, %s)\np# = Softmax(sm#) axis=3", condition, a.pick("low", "inf"))
	case 3:
		a.add("m# = Where(%s, zero, %s)\nsm# = Add(m#, sc#)\npn# = Softmax(sm#) axis=-1\nin# = IsNaN(pn#)\np# = Where(in#, zero, pn#)", condition, a.pick("low", "inf"))
	case 4:
		a.add("m# = Where(%s, zero, low)\nn# = Where(%s, zero, half)\nsm# = Add(sc#, m#)\nsn# = Add(sm#, n#)\np# = Softmax(sn#) axis=-1", rows, columns)
	}
}
