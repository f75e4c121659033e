package quant

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
)

// mixed holds a node for each reason to skip one.
const mixed = `
	opset 17
	opset local 1
	opset com.microsoft 1
	input x f32[n,3]
	input k f32[3,3]
	input h f16[n,3]
	input ids i64[n]
	input img f32[n,1,8,8]
	output y f32[n,3]
	init w f32[3,3] 1 -2 3
	init d f64[3,3] 1 -2 3
	init e f16[3,3] 1 -2 3
	init ints i32[3,3] 1 -2 3
	init s f32[] 1
	init none f32[3,0]
	init kernel f32[2,1,3,3] 1
	init cube f32[1,3,3] 1
	init gates f32[1,4,3] 1
	input seq f32[2,n,3]
	sparse few f32[3,3] 3 at 1
	graph body
	inner: z = MatMul(x, w)
	look: zz = Gather(w, ids)
	reach: r = local::Other(x, w)
	output z
	end
	function local Product(a, b) -> (c)
	called: c = Relu(a)
	end
	function local Other(a, b) -> (c)
	kept: c = Gemm(a, b)
	end
	taken: y = MatMul(x, w)
	gemm: g = Gemm(x, w)
	embed: t = Gather(w, ids)
	computed: c1 = MatMul(x, k)
	sparse: c2 = MatMul(x, few)
	double: c3 = MatMul(d, d)
	half: c4 = MatMul(h, e)
	wrong: c21 = MatMul(x, ints)
	scalar: c5 = MatMul(x, s)
	empty: c6 = MatMul(x, none)
	alpha: c7 = Gemm(x, w) alpha=2.0
	beta: c8 = Gemm(x, w, s) beta=0.5
	turned: c9 = Gemm(k, w) transA=1
	deep: c10 = Gemm(x, cube)
	types: c11 = MatMul(h, w)
	single: c12 = MatMul(x)
	conv: c13 = Conv(img, kernel)
	foreign: c14 = local::MatMul(x, w)
	floats: c15 = Gather(x, ids)
	shape: sh = Shape(x)
	dim: c16 = Gather(sh, ids)
	relu: c17 = Relu(x)
	held: c18 = If(x) then_branch=@body
	call: c19 = local::Product(x, w)
	turn: turned_y, = LSTM(seq, gates, gates) hidden_size=1 layout=2
	untyped: c22, = LSTM(c14, gates, gates) hidden_size=1
	flat: c23, = LSTM(seq, w, gates) hidden_size=1
	line: c24 = Conv(img, w)
	maybe: c25 = Conv(c14, kernel)
	where: c26 = com.microsoft::EmbedLayerNormalization(ids, ids, w, w, w, s)
	order: c27, c28 = com.microsoft::EmbedLayerNormalization(ids, , w, w, , s, s, , ids)
	sums: c29, c30, c31 = com.microsoft::EmbedLayerNormalization(ids, , w, w, , s, s)
	extra: c32 = com.microsoft::Attention(x, w, s) rotary_embedding_dim=4
	past: c33 = com.microsoft::Attention(x, w, s, , , w)
	sizes: c34 = com.microsoft::Attention(x, w, s) qkv_hidden_sizes=[1,1,1]
	wide: c20 = com.microsoft::Attention(x, w)
`

func TestSkipped(t *testing.T) {
	_, report := dynamicOf(t, graphtest.Model(t, mixed), DefaultDynamicOptions())
	want := map[string]string{
		"computed": `its second factor "k" is not a constant`,
		"sparse":   `its second factor "few" is not a constant`,
		"double":   `its weight "d" is f64, expected f32`,
		"half":     `its weight "e" is f16, expected f32`,
		"wrong":    `its weight "ints" is i32, expected f32`,
		"scalar":   `its weight "s" is a scalar, which has no columns`,
		"empty":    `its weight "none" has no elements`,
		"alpha":    "has alpha 2, expected 1",
		"beta":     "has beta 0.5, expected 1",
		"turned":   "transposes its first factor",
		"deep":     `its weight "cube" has rank 3, expected a matrix`,
		"types":    `its first factor "h" is f16, but its weight f32`,
		"single":   "lacks an input or output",
		"foreign":  `is an operator of domain "local", not of "ai.onnx"`,
		"floats":   `its table "x" is not a constant`,
		"inner":    `is in a body of node "held" (If); --subgraphs quantizes bodies too`,
		"kept":     `is in function "Other", whose calls cannot be inlined`,
		"turn":     "has layout 2, expected 0 or 1",
		"untyped":  `its input "c14" is not known to be float32`,
		"flat":     `its weight "w" has rank 2, expected 3`,
		"line":     `its weight "w" has rank 2, expected at least 3`,
		"maybe":    `its input "c14" is not known to be float32`,
		"where":    "lacks an input or output",
		"order":    `reads "ids" as its input 8, which QEmbedLayerNormalization does not have`,
		"sums":     "outputs the sum of the embeddings, which QEmbedLayerNormalization does not support",
		"extra":    "has the attribute rotary_embedding_dim, which QAttention does not have",
		"past":     `reads "w" as its input 5, which QAttention does not have`,
		"sizes":    "has different sizes for query, keys and values, which QAttention does not support",
		"wide":     "has no bias, which QAttention needs",
	}
	got := map[string]string{}
	for _, s := range report.Skipped {
		got[s.Node] = s.Reason
		place := map[string]string{"inner": "held:then_branch", "kept": "local:Other"}[s.Node]
		if s.Place != place || s.Index < 0 {
			t.Errorf("node %q is node %d of %q, expected one of %q", s.Node, s.Index, s.Place, place)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"taken", "gemm", "embed", "conv"}, taken(report)); diff != "" {
		t.Errorf("quantized (-want +got):\n%s", diff)
	}
	departures := []Departure{capturedValue, emptyWeight, float16Weight, foreignDomain, functionBody, lostOperand, sparseConstant, untouchedGemm, wrongType}
	if diff := cmp.Diff(departures, report.Departures); diff != "" {
		t.Errorf("departures (-want +got):\n%s", diff)
	}
}

func taken(r *Report) []string {
	var out []string
	for _, q := range r.Quantized {
		out = append(out, q.Node)
	}
	return out
}

func TestChoice(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*DynamicOptions)
		taken   []string
		skipped map[string]string // some of them
	}{
		{
			"exclude", func(o *DynamicOptions) { o.Exclude = []string{"taken"} },
			[]string{"gemm", "embed", "conv"},
			map[string]string{"taken": "is excluded"},
		},
		{
			"exclude a Gemm", func(o *DynamicOptions) { o.Exclude = []string{"gemm"} },
			[]string{"taken", "embed", "conv"},
			map[string]string{"gemm": "is excluded"},
		},
		{
			"exclude a Gemm by its other name", func(o *DynamicOptions) { o.Exclude = []string{"gemm_MatMul"} },
			[]string{"taken", "embed", "conv"},
			map[string]string{"gemm": "is excluded"},
		},
		{
			"exclude what is none", func(o *DynamicOptions) { o.Exclude = []string{"relu"} },
			[]string{"taken", "gemm", "embed", "conv"},
			map[string]string{"relu": "is not among the operators that are quantized"},
		},
		{
			"include", func(o *DynamicOptions) { o.Include = []string{"gemm", "embed"} },
			[]string{"gemm", "embed"},
			map[string]string{"taken": "is not among the nodes to include"},
		},
		{
			"include and exclude", func(o *DynamicOptions) { o.Include, o.Exclude = []string{"gemm_MatMul", "taken"}, []string{"taken"} },
			[]string{"gemm"},
			map[string]string{"taken": "is excluded"},
		},
		{
			"include what is none", func(o *DynamicOptions) { o.Include = []string{"gemm", "relu"} },
			[]string{"gemm"},
			map[string]string{"relu": "is not among the operators that are quantized"},
		},
		{"MatMul is Gemm too", func(o *DynamicOptions) { o.OpTypes = []string{"MatMul"} }, []string{"taken", "gemm"}, nil},
		{
			"Gemm alone", func(o *DynamicOptions) { o.OpTypes = []string{"Gemm"} },
			[]string{"gemm"},
			map[string]string{"taken": "has an operator that is not among those to quantize"},
		},
		{
			"computed factors", func(o *DynamicOptions) { o.MatMulConstBOnly = false },
			[]string{"taken", "gemm", "embed", "computed", "sparse", "conv"},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := DefaultDynamicOptions()
			tt.change(&o)
			_, report := dynamicOf(t, graphtest.Model(t, mixed), o)
			if diff := cmp.Diff(tt.taken, taken(report)); diff != "" {
				t.Errorf("quantized (-want +got):\n%s", diff)
			}
			for _, s := range report.Skipped {
				if want, ok := tt.skipped[s.Node]; ok && want != s.Reason {
					t.Errorf("%s: %q, want %q", s.Node, s.Reason, want)
				}
				delete(tt.skipped, s.Node)
			}
			if len(tt.skipped) > 0 {
				t.Errorf("not reported: %v", tt.skipped)
			}
		})
	}
}

func TestReportedBytes(t *testing.T) {
	text := `
		input x f32[n,4]
		output y f32[n,4]
		init w f32[4,4] 1 -2 3
		init v f32[2,4] 1 -2 3
		a: h = MatMul(x, w)
		b: g = MatMul(h, w)
		c: y = Gemm(g, v) transB=1`
	o := DefaultDynamicOptions()
	o.PerChannel = true
	_, report := dynamicOf(t, graphtest.Model(t, text), o)
	want := []Quantized{
		{"", 0, "a", "MatMul", "w", 64, 16 + 4*5},
		{"", 1, "b", "MatMul", "w", 0, 0},
		{"", 2, "c", "Gemm", "v", 32, 8 + 2*5},
	}
	if diff := cmp.Diff(want, report.Quantized); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWarnings(t *testing.T) {
	_, report := dynamicOf(t, graphtest.Model(t, modelText(t, "a body captures a weight")), DefaultDynamicOptions())
	want := []string{`weight "w" also stays in float32, 36 bytes: a body or another node reads it`}
	if diff := cmp.Diff(want, report.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, report = dynamicOf(t, graphtest.Model(t, "input w f32[3,2]\n"+body("init w f32[3,2] 1 2")), DefaultDynamicOptions())
	want = []string{`input "w" was removed: its default value is a weight that is quantized now`}
	if diff := cmp.Diff(want, report.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestElementTypes follows types through operators where the graph states none.
func TestElementTypes(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[n,3]
		input k i64[n]
		init w f32[3,3] 1
		value told f64[n]
		a = Relu(x)
		b = Cast(a) to=10
		c = Shape(b)
		d = Gather(c, k)
		e = Constant() value={i32[1] 1}
		f = Add(unknown, a)
		g = Where(k, f, unknown)
		h = Concat(unknown, g)
		i = MatMul(unknown, w)
		j = Foo(x)
		l, m = Dropout(x)
		n, o = Split(b)
		told = Foo(x)
		p = Less(x, x)
		q = Softmax(told)
		r, s = TopK(q, k)`)
	d, err := newDynamic(t.Context(), m, DefaultDynamicOptions())
	if err != nil {
		t.Fatal(err)
	}
	main, err := d.newScope(m.Places()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"x": "f32", "a": "f32", "b": "f16", "c": "i64", "d": "i64", "e": "i32", "f": "f32", "g": "f32", "h": "f32", "i": "f32",
		"j": "undefined", "l": "f32", "m": "bool", "n": "f16", "o": "f16", "told": "f64", "p": "bool", "q": "f64", "r": "f64", "s": "i64", "absent": "undefined",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = main.elementType(name).String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDeparturesAreExplained(t *testing.T) {
	document, err := os.ReadFile("../../docs/quantize-dynamic.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(departures); n != 30 {
		t.Errorf("%d departures, expected all 30 constants", n)
	}
	for d := range departures {
		if departures[d] == "" || d == "" {
			t.Errorf("departure %q is not explained", d)
		}
		if !strings.Contains(string(document), fmt.Sprintf("| `%s` |", d)) || !strings.Contains(string(document), "| "+departures[d]+" |") {
			t.Errorf("docs/quantize-dynamic.md lacks departure %q as it is explained", d)
		}
	}
}
