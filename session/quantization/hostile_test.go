//go:build cgo

package quantization

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// Models that can hardly be quantized, or not at all.
const (
	pairedModel = `
		input x f32[1,1,4,4]
		output y f32[1,1,4,4]
		init w i8[1,1,1,1] 100
		init ws f32[] 0.0123
		init xs f32[] 0.0321
		init xz u8[] 128
		q: xq = QuantizeLinear(x, xs, xz)
		d: xd = DequantizeLinear(xq, xs, xz)
		e: wd = DequantizeLinear(w, ws)
		conv: c = Conv(xd, wd)
		f: cq = QuantizeLinear(c, xs, xz)
		g: y = DequantizeLinear(cq, xs, xz)`
	dynamicModel = `
		input x f32[2,3]
		output y f32[2,2]
		init w i8[3,2] 127 -128 5
		init s f32[] 0.0123
		init zero i8[]
		q, qs, qz = DynamicQuantizeLinear(x)
		sum: i = MatMulInteger(q, w, qz, zero)
		cast: f = Cast(i) to=1
		both: k = Mul(qs, s)
		scaled: y = Mul(f, k)`
	oneProduct = "input x f32[2,3]\noutput y f32[2,2]\nfc: y = MatMul(x, w)\ninit w f32[3,2] "
)

// TestQuantizeHostile checks every mode with every model. A result is sound and loads. If a model
// is rejected, the error is clear and no file is left.
func TestQuantizeHostile(t *testing.T) {
	env := sessiontest.Env(t)
	for _, tt := range []struct {
		name, text string
		// Part of the expected error by mode, or "" if the model is accepted.
		dynamic, float16, bfloat16 string
	}{
		{"quantized already, with pairs", pairedModel, "already quantized, 5 of 6 nodes", "all 6 float32 nodes stay", "all 6 float32 nodes stay"},
		{"quantized already, dynamically", dynamicModel, "already quantized, 2 of 5 nodes", "all 4 float32 nodes stay", "all 4 float32 nodes stay"},
		{"quantized and more", dynamicModel + "\noutput z f32[2,2]\ninit v f32[2,2] 1 2 3 4\nmore: z = MatMul(y, v)", "", "", ""},
		{"no candidate", "input x f32[2]\noutput y f32[2]\ny = Neg(x)", "no node of Attention, Conv", "", ""},
		{"no nodes", "input x f32[2]\noutput x f32[2]", "no node of", "no node reads or produces float32", "no node reads or produces float32"},
		{"integers alone", "input x i64[2,2]\noutput y i64[2,2]\ninit w i64[2,2] 1 2 3 4\ny = MatMul(x, w)", "the only candidate was skipped", "no float32 values", "no float32 values"},
		{"NaN", oneProduct + "1 NaN 2", `reads "w", whose element 1 is NaN`, "", ""},
		{"infinite", oneProduct + "1 2 -Inf", `reads "w", whose element 2 is -Inf`, "", ""},
		{"range beyond float32", oneProduct + "3.4e38 -3.4e38 1", "", "", ""},
		{"below all numbers of float16", oneProduct + "1e-30 1e-44 -1e-40", "", "", ""},
		{"channels of zeros", oneProduct + "0 1 0 2 0 3", "", "", ""},
		{"zeros", oneProduct + "0", "", "", ""},
		{"one element", "input x f32[2,1]\noutput y f32[2,1]\ninit w f32[1,1] -0.5\nfc: y = MatMul(x, w)", "", "", ""},
		{"a vector of one element", "input x f32[2,1]\noutput y f32[2]\ninit w f32[1] 3\nfc: y = MatMul(x, w)", "", "", ""},
		{"a scalar", "input x f32[2]\noutput y f32[2]\ninit w f32[] 3\nfc: y = Mul(x, w)", "no node of", "", ""},
		{"a table of one element", "input i i64[n]\noutput y f32[n,1]\ninit w f32[1,1] 3\nfc: y = Gather(w, i)", "", "", ""},
		{"a kernel of one element", "input x f32[1,1,2,2]\noutput y f32[1,1,2,2]\ninit w f32[1,1,1,1] 3\ninit b f32[1] 1\nc: y = Conv(x, w, b)", "", "", "does not support bf16"},
		{"an LSTM of one unit", "input x f32[2,1,1]\noutput h f32[1,1,1]\ninit w f32[1,4,1] 1 2 3 4\ninit r f32[1,4,1] 4 3 2 1\nl: , h, = LSTM(x, w, r) hidden_size=1", "", "", "does not support bf16"},
		{"an Attention of one unit", "opset com.microsoft 1\nopset 17\ninput x f32[1,2,1]\noutput y f32[1,2,1]\ninit w f32[1,3] 1 2 3\ninit b f32[3] 0 1\na: y = com.microsoft::Attention(x, w, b) num_heads=1", "", "", ""},
		{"a matrix without columns", "input x f32[2,3]\noutput y f32[2,0]\ninit w f32[3,0]\nfc: y = MatMul(x, w)", "no elements", "", ""},
		{"a matrix without rows", "input x f32[2,0]\noutput y f32[2,2]\ninit w f32[0,2]\nfc: y = MatMul(x, w)", "no elements", "", ""},
		{"a table without rows", "input i i64[n]\noutput y f32[n,2]\ninit w f32[0,2]\nfc: y = Gather(w, i)", "no elements", "", ""},
		{"an LSTM without units", "input x f32[2,1,1]\noutput h f32\ninit w f32[1,0,1]\ninit r f32[1,0,0]\nl: , h, = LSTM(x, w, r)", "no elements", "", "does not support bf16"},
		{"float16 already", "input x f16[2,3]\noutput y f16[2,2]\ninit w f16[3,2] 1\nfc: y = MatMul(x, w)", "needs float32", "is already in f16", "another 16-bit type"},
		{"float64", "input x f64[2,3]\noutput y f64[2,2]\ninit w f64[3,2] 1\nfc: y = MatMul(x, w)", "only candidate was skipped", "no float32 values", "no float32 values"},
	} {
		for mode, refused := range map[string]string{"dynamic": tt.dynamic, "float16": tt.float16, "bfloat16": tt.bfloat16} {
			t.Run(tt.name+", "+mode, func(t *testing.T) {
				s := &Quantization{Saving: flags.Saving{Out: filepath.Join(t.TempDir(), "out.onnx")}}
				s.Mode, s.NoTrial, s.NoScan = mode, true, mode == "float16"
				s.PerChannel = mode == "dynamic" && strings.HasPrefix(tt.name, "channels")
				m := graphtest.Model(t, tt.text)
				r, err := s.Run(t.Context(), env, m)
				if refused != "" {
					if err == nil || !strings.Contains(err.Error(), refused) {
						t.Errorf("%v, expected %q", err, refused)
					}
					if _, err := os.Stat(s.Out); err == nil {
						t.Error("what was refused has been written")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				soundAndLoads(t, env, m, s.Out, r.Report.(*Report))
			})
		}
	}
}

// soundAndLoads checks that a result has no new problem, and that the runtime loads it if it loads
// the original.
func soundAndLoads(t *testing.T, env session.Env, original *graphops.Model, path string, r *Report) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := sounder(t.Context(), env, original, m, r.Elsewhere != ""); err != nil {
		t.Error(err)
	}
	if r.Elsewhere != "" {
		return
	}
	if err := loads(t.Context(), env, m); err != nil && loads(t.Context(), env, original) == nil {
		t.Errorf("the result does not load: %v", err)
	}
}

func loads(ctx context.Context, env session.Env, m *graphops.Model) error {
	l, err := env.Runtime.Load(ctx, m, runtime.Execution{})
	if err != nil {
		return err
	}
	return l.Close()
}

// TestQuantizeTwice quantizes a quantized model. The answer is that nothing is left to do.
func TestQuantizeTwice(t *testing.T) {
	env := sessiontest.Env(t)
	m, err := graphops.Open(filepath.Join("..", "..", "testdata", "digits.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Quantization{Mode: "dynamic"}
	s.NoTrial = true
	first, err := s.Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	before := quant.Already(first.Model)
	second, err := s.Run(t.Context(), env, first.Model)
	if err == nil || !strings.Contains(err.Error(), "already quantized, "+before.String()) {
		t.Errorf("%v, made %+v", err, second.Report)
	}
}
