//go:build cgo

package quantization

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

// TestHere asks the provider what results do: each mode has the operators that ONNX Runtime makes of it.
func TestHere(t *testing.T) {
	env := sessiontest.Env(t)
	const product = "opset ai.onnx 17\ninput x f32[n,33]\ninit w f32[33,8] rand\noutput y f32[n,8]\n"
	for name, c := range map[string]struct {
		text    string
		step    Quantization
		op      string // among those with quantized values
		decoded string
		note    string
	}{
		"dynamic": {product + "y = MatMul(x, w)", Quantization{Mode: "dynamic"}, "DynamicQuantizeMatMul", "", "1 DynamicQuantizeMatMul"},
		"nbits":   {product + "y = MatMul(x, w)", Quantization{Mode: "nbits"}, "MatMulNBits", "", "1 weight: 124 B of padding; a --block-size that divides the number of rows needs none"},
		"standard": {
			product + "y = MatMul(x, w)",
			Quantization{Mode: "nbits", nbitsFlags: nbitsFlags{Bits: "8"}, staticFlags: staticFlags{Format: "qdq"}},
			"", "", "on cpu",
		},
		"float16": {product + "y = MatMul(x, w)", Quantization{Mode: "float16"}, "", "", "ONNX Runtime added"},
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, strings.Replace(c.text, "rand", strings.Repeat(" 0.5 -0.25 0.125 1", 33*2), 1))
			result, r, err := c.step.Quantize(t.Context(), env, m)
			if err == nil {
				err = c.step.Judge(t.Context(), env, m, result, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			h := r.Here
			if h == nil || h.Provider != "cpu" || h.Nodes == 0 {
				t.Fatalf("%+v; %v", h, r.Warnings)
			}
			if c.op != "" && h.Quantized[c.op] == 0 {
				t.Errorf("%v, expected %s", h.Quantized, c.op)
			}
			if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, expected %q", notes, c.note)
			}
			if (h.Saturates != nil) != (name == "dynamic") {
				t.Errorf("saturates %v", h.Saturates)
			}
		})
	}
}

// TestSumsSaturate compares what a session computes with what the processor has.
func TestSumsSaturate(t *testing.T) {
	env := sessiontest.Env(t)
	got, err := sides.SumsSaturate(t.Context(), env, runtime.Execution{}, tensor.U8)
	if err != nil || got == sessiontest.HasExactSums() {
		t.Errorf("%v, %v; the processor has exact sums: %v", got, err, sessiontest.HasExactSums())
	}
	if (instructions() != "") != got {
		t.Errorf("instructions %q, and sums saturate: %v", instructions(), got)
	}
	env.Runtime = sessiontest.Saturating(env.Runtime)
	for _, activations := range []tensor.DType{tensor.U8, tensor.I8} {
		if got, err := sides.SumsSaturate(t.Context(), env, runtime.Execution{}, activations); err != nil || !got {
			t.Errorf("%v, %v on a runtime that saturates", got, err)
		}
	}
}

// TestHereNotes are lines about counts that few models have.
func TestHereNotes(t *testing.T) {
	yes := true
	for _, c := range []struct {
		here Here
		want string
	}{
		{Here{Provider: "cpu", Nodes: 3}, "none of 3 nodes computes with quantized values"},
		{Here{Provider: "cpu", Nodes: 3, half: true, Casts: 2}, "added 2 Casts"},
		{Here{Provider: "cpu", Decoded: map[string]int{"Conv": 1, "MatMul": 2}}, "in 2 MatMul, 1 Conv: the integers are dequantized again"},
		{Here{Provider: "webgpu", NodesByEP: map[string]int64{"webgpu": 2, "cpu": 1}, Nodes: 3}, "webgpu"},
	} {
		if got := strings.Join(c.here.Notes(), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
	if h := (&Here{Saturates: &yes}); !h.Overflows() || !strings.Contains(h.saturates(), "--reduce-range") {
		t.Errorf("%q", h.saturates())
	}
	if h := (&Here{Saturates: &yes, reduced: true}); h.Overflows() || h.saturates() != "" {
		t.Errorf("%q", h.saturates())
	}
	if (*Here)(nil).Overflows() {
		t.Error("nothing overflows")
	}
}
