package summary_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
	"lathe/graphops/summary"
)

// of summarizes a model with its shapes.
func of(t testing.TB, m *graphops.Model) *summary.Summary {
	t.Helper()
	shapes, err := shape.Infer(context.Background(), m, shape.Options{NameAxes: true})
	if err != nil {
		shapes = nil
	}
	s, err := summary.Of(context.Background(), m, shapes)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s)
	return s
}

// check checks what holds for every summary.
func check(t testing.TB, s *summary.Summary) {
	t.Helper()
	seen := map[int32]bool{}
	for _, p := range s.Parts {
		if p.Count() == 0 || p.Parameters < 0 || p.Kind == "" && p.Path == "" {
			t.Errorf("part %+v", p)
		}
		for _, nodes := range p.Nodes {
			for _, i := range nodes {
				if seen[i] || int(i) >= len(s.Place.Graph.Nodes()) {
					t.Fatalf("node %d is in two parts, or does not exist", i)
				}
				seen[i] = true
			}
		}
	}
}

// partLines writes the parts of a summary, one a line.
func partLines(s *summary.Summary) string {
	var b strings.Builder
	for _, p := range s.Parts {
		fmt.Fprintf(&b, "%d × %s %s", p.Count(), p.Kind, p.Path)
		for _, r := range []struct {
			name string
			of   summary.Range
		}{
			{"heads", p.Heads}, {"size", p.HeadSize}, {"kv", p.KVHeads}, {"hidden", p.Hidden}, {"mlp", p.MLP}, {"experts", p.Experts}, {"channels", p.Channels}, {"state", p.State},
		} {
			switch {
			case !r.of.Known():
			case r.of.Min == r.of.Max:
				fmt.Fprintf(&b, " %s=%d", r.name, r.of.Min)
			default:
				fmt.Fprintf(&b, " %s=%d…%d", r.name, r.of.Min, r.of.Max)
			}
		}
		for name, is := range map[string]bool{"cross": p.Cross, "depthwise": p.Depthwise, "bidirectional": p.Bidirectional} {
			if is {
				b.WriteString(" " + name)
			}
		}
		if len(p.Kernels) > 0 {
			b.WriteString(" " + strings.Join(p.Kernels, ","))
		}
		b.WriteString("\n")
	}
	return strings.ReplaceAll(b.String(), "  ", " ")
}

// TestOwnModels states what is in the models of the repository. See testdata/make for the programs
// that made them.
func TestOwnModels(t *testing.T) {
	for file, want := range map[string]string{
		"text_classifier": "4 × encoder layer /layers.* heads=8 size=8 hidden=64 mlp=256\n",
		"lm_batch1":       "2 × transformer layer /blocks.* heads=4 size=8 hidden=32 mlp=64\n",
		"vit_batch1":      "2 × transformer layer heads=4 size=8 hidden=32 mlp=64\n1 × convolution channels=32 4×4\n",
		"mlp_dynamo":      "3 × MLP /blocks.* hidden=32 mlp=128\n",
		"rnn_batch1":      "2 × LSTM layer state=16 bidirectional\n1 × GRU layer state=8\n",
		"digits":          "2 × linear layer /fc*\n2 × convolution /conv* channels=16…32 3×3\n",
		"cnn_batch1":      "3 × convolution channels=8…16 3×3,1×1\n",
		"external":        "2 × linear layer\n",
		"strings":         "",
	} {
		m, err := graphops.Open("../../testdata/"+file+".onnx", graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := partLines(of(t, m)); lines(got) != lines(want) {
			t.Errorf("%s: got\n%swant\n%s", file, got, want)
		}
	}
}

// lines removes spaces at the ends of lines.
func lines(s string) string { return strings.ReplaceAll(s, " \n", "\n") }

// TestSharedModels states what is in models beside the repository, as far as their configuration
// says it.
func TestSharedModels(t *testing.T) {
	want := map[string]string{
		"text/gpt2_past":                     "12 × decoder layer heads=2 size=2 hidden=4 mlp=16\n",
		"text/tf_bert_question_answering":    "24 × encoder layer /tf_bert_for_question_answering/bert/encoder/layer_._* heads=2 size=4 hidden=8 mlp=32\n",
		"llm/llama-fp32/model":               "2 × decoder layer /model/layers.* heads=4 size=16 kv=2 hidden=64 mlp=96\n",
		"llm/llama-int4/model":               "2 × decoder layer /model/layers.* heads=4 size=16 kv=2 hidden=64 mlp=96\n",
		"llm/phi3-int4/model":                "2 × decoder layer /model/layers.* heads=4 size=16 hidden=64 mlp=96\n",
		"llm/gemma2-int4/model":              "2 × decoder layer /model/layers.* heads=4 size=16 kv=2 hidden=64 mlp=96\n",
		"optimum/whisper/encoder_model":      "2 × encoder layer /layers.* heads=4 size=8 hidden=32 mlp=64\n2 × convolution /conv* channels=32 3\n",
		"optimum/whisper/decoder_model":      "2 × decoder layer /model/decoder/layers.* heads=4 size=8 hidden=32 mlp=64 cross\n",
		"optimum/t5/encoder_model":           "2 × transformer layer /block.* heads=4 size=8 hidden=32 mlp=64\n",
		"optimum/t5/decoder_with_past_model": "2 × decoder layer /decoder/block.* heads=4 size=8 hidden=32 mlp=64 cross\n",
		"optimum/t5/decoder_model_merged":    "2 × decoder layer /decoder/block.* heads=4 size=8 hidden=32 mlp=64 cross\n",
		"optimum/vit/model":                  "2 × encoder layer /vit/encoder/layer.* heads=4 size=8 hidden=32 mlp=64\n1 × convolution channels=32 16×16\n",
		"control/tiny_gpt2_beamsearch":       "5 × decoder layer heads=4 size=8 hidden=32 mlp=128\n",
		"vision/squeezenet":                  "8 × convolution block channels=16…256 1×1,3×3\n1 × convolution channels=64 3×3\n",
		"vision/fns-candy":                   "5 × residual block channels=64 3×3\n4 × convolution channels=3…64 9×9,3×3\n2 × transposed convolution channels=16…32 3×3\n",
		"vision/mnist":                       "2 × convolution channels=8…16 5×5\n",
	}
	found := 0
	for _, path := range reference.Shared.Models(t) {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			continue
		}
		s := of(t, m)
		name := strings.TrimSuffix(filepath.ToSlash(path), ".onnx")
		for file, want := range want {
			if strings.HasSuffix(name, "models/"+file) {
				found++
				if got := partLines(s); lines(got) != lines(want) {
					t.Errorf("%s: got\n%swant\n%s", file, got, want)
				}
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d models were found", found, len(want))
	}
}

// forms are parts in the forms in which programs write them, and what is certain about each.
var forms = []struct{ name, model, want string }{
	{"queries with fewer keys", `
input x f32[1,16,64]
init wq f32[64,64] 1
init wk f32[64,16] 1
init s4 i64[4] 1 16 8 8
init sk i64[4] 1 16 2 8
init se i64[5] 1 2 4 16 8
init sm i64[4] 1 8 16 8
init two i64[1] 2
q0 = MatMul(x, wq)
q1 = Reshape(q0, s4)
q = Transpose(q1) perm=[0,2,1,3]
k0 = MatMul(x, wk)
k1 = Reshape(k0, sk)
k2 = Transpose(k1) perm=[0,2,1,3]
k3 = Unsqueeze(k2, two)
k4 = Expand(k3, se)
k5 = Reshape(k4, sm)
k = Transpose(k5) perm=[0,1,3,2]
s = MatMul(q, k)
p = Softmax(s)
y = MatMul(p, k5)
output y f32[1,8,16,8]`, "1 × attention heads=8 size=8 kv=2\n"},
	{"heads in the axis of the batch", `
input x f32[batch,16,64]
init w f32[64,64] 1
init s4 i64[4] 0 16 8 8
init s3 i64[3] -1 16 8
q0 = MatMul(x, w)
q1 = Reshape(q0, s4)
q2 = Transpose(q1) perm=[0,2,1,3]
q = Reshape(q2, s3)
k = Transpose(q) perm=[0,2,1]
s = MatMul(q, k)
p = Softmax(s)
y = MatMul(p, q)
output y f32[n,16,8]`, "1 × attention heads=8 size=8\n"},
	{"a softmax that weighs nothing", `
input x f32[2,4]
init w f32[4,4] 1
a = MatMul(x, w)
y = Softmax(a)
output y f32[2,4]`, "1 × linear layer\n"},
	{"a mixture of experts", `
opset com.microsoft 1
input x f32[2,8]
input r f32[2,4]
init f1 f32[4,16,8] 1
init f2 f32[4,8,16] 1
y = com.microsoft::MoE(x, r, f1, , f2)
output y f32[2,8]`, "1 × mixture of experts experts=4\n"},
	{"a depthwise convolution", `
input x f32[1,8,6,6]
init w f32[8,1,3,5] 1
y = Conv(x, w) group=8
output y f32[1,8,4,2]`, "1 × convolution channels=8 depthwise 3×5\n"},
	{"residual blocks of three sizes without names", `
input x f32[1,4,6,6]
init a f32[4,4,1,1] 1
init b f32[8,4,1,1] 1
init c f32[8,8,1,1] 1
h = Conv(x, a)
i = Relu(h)
j = Conv(i, a)
k = Add(j, x)
l = Conv(k, b)
m = Relu(l)
n = Conv(m, c)
o = Conv(k, b)
y = Add(n, o)
output y f32[1,8,6,6]`, "2 × residual block channels=4…8 1×1\n"},
	{"branches with a convolution each", `
input x f32[1,4,6,6]
init a f32[4,4,1,1] 1
h = Conv(x, a)
i = Conv(x, a)
y = Add(h, i)
output y f32[1,4,6,6]`, "2 × convolution channels=4 1×1\n"},
	{"modules of an unknown kind", `
input x f32[4]
/layers.0/Relu: a0 = Relu(x)
/layers.0/Abs: b0 = Abs(a0)
/layers.0/Neg: c0 = Neg(b0)
/layers.1/Relu: a1 = Relu(c0)
/layers.1/Abs: b1 = Abs(a1)
/layers.1/Neg: c1 = Neg(b1)
/layers.2/Relu: a2 = Relu(c1)
/layers.2/Abs: b2 = Abs(a2)
/layers.2/Neg: y = Neg(b2)
output y f32[4]`, "3 × /layers.*\n"},
	{"weights behind a dequantization", `
input x f32[2,4]
init w i8[4,6] 1
init s f32[] 0.5
d = DequantizeLinear(w, s)
h = MatMul(x, d)
r = Relu(h)
init v i8[6,4] 1
e = DequantizeLinear(v, s)
y = MatMul(r, e)
output y f32[2,4]`, "2 × linear layer\n"},
	{"nothing", `
input x f32[2]
y = Relu(x)
output y f32[2]`, ""},
}

func TestForms(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			if got := partLines(of(t, graphtest.Model(t, f.model))); lines(got) != lines(f.want) {
				t.Errorf("got\n%swant\n%s", got, f.want)
			}
		})
	}
}

// TestWeights counts elements that are packed into bytes, and leaves out what is stored in nodes.
func TestWeights(t *testing.T) {
	s := of(t, graphtest.Model(t, `
opset com.microsoft 1
input x f32[2,32]
init b u8[4,1,16] 1
init s f32[4] 1
y = com.microsoft::MatMulNBits(x, b, s) K=32 N=4 bits=4 block_size=32
output y f32[2,4]`))
	if got, want := fmt.Sprint(s.Parameters, s.Weights), "132 [{int4 128} {f32 4}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMutants summarizes small models of every operator after a few changes, with and without
// shapes.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	for _, f := range forms {
		bases = append(bases, mutate.Base{Name: f.name, Model: graphtest.Proto(t, f.model)})
	}
	for i, base := range append(bases, bases...) {
		p, _ := mutate.New(base, bases, uint64(i))
		bytes, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Decode(bytes)
		if err != nil {
			continue // damaged
		}
		of(t, m)
		s, err := summary.Of(context.Background(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s)
	}
}

// TestWorkIsBounded summarizes models that are made to take long.
func TestWorkIsBounded(t *testing.T) {
	const nodes = 30_000
	for name, line := range map[string]func(i int) string{
		"residuals": func(i int) string {
			if i == 1 {
				return "v1 = Conv(v0, w)\n"
			}
			return fmt.Sprintf("v%d = Add(v%d, v%d)\n", i, i-1, i/2)
		},
		"softmaxes": func(i int) string { return fmt.Sprintf("v%d = Softmax(v0)\n", i) },
		"numbers": func(i int) string {
			return fmt.Sprintf("/%s/n: v%d = Conv(v%d, w)\n", strings.Repeat("1/", i%60), i, i-1)
		},
		"equal ones": func(i int) string { return fmt.Sprintf("v%d = Conv(v%d, w)\n", i, i-1) },
		"products": func(i int) string {
			return fmt.Sprintf("v%d = %s(v%d, w)\n", i, []string{"MatMul", "Mul", "Sub"}[i%3], i-1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("input v0 f32[1,4,4,4]\ninit w f32[4,4,1,1] 1\n")
			for i := 1; i <= nodes; i++ {
				b.WriteString(line(i))
			}
			fmt.Fprintf(&b, "output v%d f32\n", nodes)
			m := graphtest.Model(t, b.String())
			at := time.Now()
			s, err := summary.Of(context.Background(), m, nil)
			if err != nil {
				t.Fatal(err)
			}
			check(t, s)
			if took := time.Since(at); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestCutModel: a model that is cut to one layer still has that layer, and a layer that is cut in two is not
// one.
func TestCutModel(t *testing.T) {
	m, err := graphops.Open("../../testdata/text_classifier.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]string{
		"/layers.0/Add_2_output_0":            "1 × encoder layer /layers.* heads=8 size=8 hidden=64 mlp=256\n",
		"/layers.1/intermediate/Add_output_0": "1 × encoder layer /layers.* heads=8 size=8 hidden=64 mlp=256\n1 × attention heads=8 size=8\n",
		"/layers.0/Add_output_0":              "1 × attention heads=8 size=8\n",
	} {
		cut, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: []string{output}})
		if err != nil {
			t.Fatal(err)
		}
		if got := partLines(of(t, cut)); lines(got) != lines(want) {
			t.Errorf("%s: got\n%swant\n%s", output, got, want)
		}
	}
}
