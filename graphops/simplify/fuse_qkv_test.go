package simplify

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// qkvText is attention of what is projected, with lines for the projections.
func qkvText(projections, tail string) string {
	return `
		opset com.microsoft 1
		input x f32[batch,seq,2]
		init wq f32[2,4] 1 2 3 4 5 6 7 8
		init wk f32[2,4] 11 12 13 14 15 16 17 18
		init wv f32[2,4] 21 22 23 24 25 26 27 28
		init bq f32[4] 1 2 3 4
		init bk f32[4] 5 6 7 8
		init bv f32[4] 9 10 11 12
		` + projections + `
		` + tail
}

const (
	threeProjections = "q1 = MatMul(x, wq)\nq = Add(q1, bq)\nk1 = MatMul(x, wk)\nk = Add(bk, k1)\nv1 = MatMul(x, wv)\nv = Add(v1, bv)\n"
	multiHeadOfTwo   = "y = com.microsoft::MultiHeadAttention(q, k, v) num_heads=2\noutput y f32[batch,seq,4]"
)

func TestFuseQKV(t *testing.T) {
	out, r := simplified(t, graphtest.Model(t, qkvText(threeProjections, multiHeadOfTwo)), Options{With: []string{"fuse-qkv"}, Without: plainPasses()})
	want := []string{"y = com.microsoft::Attention(x, wq_qkv, y_MultiHeadAttention_qkv_bias) num_heads=2"}
	got := graphtest.Nodes(out.Graph())
	if len(got) != 1 || !strings.HasPrefix(got[0], "y = com.microsoft::Attention(x, wq_qkv, ") {
		t.Fatalf("got %q, refused %v, want %q", got, r.Passes, want)
	}
	for _, c := range out.Graph().Initializers() {
		p, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := p.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		list, err := tensor.Tensor{DType: c.DType(), Shape: c.Dims(), Data: b.Bytes()}.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		if len(c.Dims()) == 2 {
			want = []float64{1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24, 5, 6, 7, 8, 15, 16, 17, 18, 25, 26, 27, 28}
		}
		if !slices.Equal(list, want) {
			t.Errorf("%s is %v", c.Name(), list)
		}
	}
}

func TestFuseQKVForms(t *testing.T) {
	for name, c := range map[string]struct {
		projections, tail string
		want              string // part of the only node, or of the reason why not
		fused             bool
	}{
		"without biases": {"q = MatMul(x, wq)\nk = MatMul(x, wk)\nv = MatMul(x, wv)", multiHeadOfTwo, "Attention(x, wq_qkv, ", true},
		"bias of scores": {threeProjections, "input m f32[1,1,seq,seq]\n" + strings.Replace(multiHeadOfTwo, "(q, k, v)", "(q, k, v, , , m)", 1), ", , , m)", true},
		"packed": {
			"init w f32[2,12] 1\ninit b f32[12] 1\np = MatMul(x, w)\nh = Add(p, b)\nq, k, v = Split(h) axis=2", multiHeadOfTwo,
			"Attention(x, w, b) num_heads=2", true,
		},
		"packed in a Gemm": {
			"init w f32[2,12] 1\ninit b f32[12] 1\ninit r i64[2] -1 2\ninit s i64[3] 0 -1 12\nxr = Reshape(x, r)\ng = Gemm(xr, w, b)\nxs = Shape(x) start=0 end=2\ntw = Constant() value={i64[1] 12}\nto = Concat(xs, tw) axis=0\nh = Reshape(g, to)\nq, k, v = Split(h) axis=-1",
			multiHeadOfTwo, "Attention(x, w, b) num_heads=2", true,
		},
		"values of another size":  {"init w6 f32[2,6] 1\nq = MatMul(x, wq)\nk = MatMul(x, wk)\nv = MatMul(x, w6)", strings.Replace(multiHeadOfTwo, "seq,4]", "seq,6]", 1), "qkv_hidden_sizes=[4,4,6]", true},
		"packed in another order": {"init w f32[2,12] 1\np = MatMul(x, w)\nk, q, v = Split(p) axis=2", multiHeadOfTwo, "in this order", false},
		"of two values":           {"input z f32[batch,seq,2]\nq = MatMul(x, wq)\nk = MatMul(z, wk)\nv = MatMul(z, wv)", multiHeadOfTwo, "from different values", false},
		"keys read elsewhere":     {"q = MatMul(x, wq)\nk = MatMul(x, wk)\nv = MatMul(x, wv)\noutput k f32[batch,seq,4]", multiHeadOfTwo, "read elsewhere", false},
		"a weight that is fed":    {"input wf f32[2,4]\nq = MatMul(x, wf)\nk = MatMul(x, wk)\nv = MatMul(x, wv)", multiHeadOfTwo, "not a constant", false},
		"something that is added": {"input l f32[batch,seq,4]\nq1 = MatMul(x, wq)\nq = Add(q1, l)\nk = MatMul(x, wk)\nv = MatMul(x, wv)", multiHeadOfTwo, "adds something that is not a constant", false},
		"a Gemm that is scaled":   {"init w f32[2,12] 1\ninit b f32[12] 1\ninit r i64[2] -1 2\ninit to i64[3] -1 1 12\nxr = Reshape(x, r)\ng = Gemm(xr, w, b) alpha=2.0\nh = Reshape(g, to)\nq, k, v = Split(h) axis=-1", multiHeadOfTwo, "scales", false},
		"a cache":                 {"input pk f32[batch,2,past,2]\ninput pv f32[batch,2,past,2]\n" + threeProjections, "y, nk, nv = com.microsoft::MultiHeadAttention(q, k, v, , , , pk, pv) num_heads=2\noutput y f32[batch,seq,4]", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, refused := fusedNodes(t, qkvText(c.projections, c.tail), Options{}, "fuse-qkv")
			is := strings.Contains(strings.Join(got, "\n"), "com.microsoft::Attention(")
			said := strings.Join(refused, "; ")
			if is {
				said = strings.Join(got, "\n")
			}
			if is != c.fused || !strings.Contains(said, c.want) {
				t.Errorf("fused: %t, %q, want %q; %q", is, said, c.want, got)
			}
		})
	}
}

// A weight that others read is not there twice.
func TestFuseQKVSharedWeights(t *testing.T) {
	text := qkvText(threeProjections+"z = MatMul(x, wq)\noutput z f32[batch,seq,4]\n", multiHeadOfTwo)
	got, refused := fusedNodes(t, text, Options{MaxGrowth: 8}, "fuse-qkv")
	if len(refused) == 0 || !strings.Contains(refused[0], "twice") {
		t.Errorf("got %q, refused for %q", got, refused)
	}
}
