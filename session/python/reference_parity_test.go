//go:build parity

package python

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// evaluate is a reference evaluator of a model in the Python of `make parity`.
func evaluate(t *testing.T, model string) *Reference {
	t.Helper()
	path := os.Getenv("LATHE_PARITY_PYTHON")
	if path == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with the references; run `make parity`")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "m.onnx")
	if err := os.WriteFile(file, graphtest.Bytes(t, model), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &Reference{Interpreter: Interpreter{Path: path, Environ: os.Environ()}, Model: file, TempDir: dir}
	t.Cleanup(r.Close)
	return r
}

func literal(t *testing.T, s string) graphops.Value {
	t.Helper()
	v, err := tensor.ParseLiteral(s)
	if err != nil {
		t.Fatal(err)
	}
	return graphops.TensorValue(v)
}

// Values of every kind reach the evaluator and come back as they were.
func TestReferenceValues(t *testing.T) {
	for _, text := range []string{
		"f32[2]{1.5,NaN}", "f64[0]{}", "f16[1]{2}", "bf16[2]{1,-3}", "i64[2,1]{1,2}", "u64[1]{18446744073709551615}", "bool[2]{true,false}",
		"f8e4m3fn[2]{1,-2}", "f8e5m2[2]{1,-2}", "i4[3]{1,-8,7}", "u4[2]{1,15}", "c64[1]{1+2i}", `str[2]{"a","Größe"}`,
	} {
		v := literal(t, text)
		typ := text[:strings.Index(text, "{")]
		r := evaluate(t, "opset 21\ninput x "+typ+"\noutput y "+typ+"\ny = Identity(x)")
		got, err := r.Run(t.Context(), graphops.Feeds{"x": v})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", text, got, err)
			continue
		}
		if back, _ := got[0].Value.Tensor.Literal(); back != text {
			t.Errorf("%s came back as %s", text, back)
		}
	}
	f32 := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
	for name, v := range map[string]graphops.Value{
		"seq(f32[n])":      graphops.SequenceValue(f32, literal(t, "f32[1]{1}"), literal(t, "f32[2]{2,3}")),
		"seq(f32)":         graphops.SequenceValue(f32),
		"optional(f32[n])": graphops.OptionalValue(f32, literal(t, "f32[1]{1}")),
	} {
		r := evaluate(t, "opset 18\ninput x f32\noutput y f32\ny = Identity(x)" /* the evaluator takes what it is given */)
		got, err := r.Run(t.Context(), graphops.Feeds{"x": v})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		n := 0
		for range got[0].Value.Tensors() {
			n++
		}
		if n != len(v.Items) {
			t.Errorf("%s: %d elements came back, want %d", name, n, len(v.Items))
		}
	}
}

// What the evaluator lacks is told by the operator, in one line, for every case.
func TestReferenceLacks(t *testing.T) {
	for model, want := range map[string]string{
		"opset com.microsoft 1\ninput x f32[2]\noutput y f32[2]\ngate: y = com.microsoft::QuickGelu(x)": `it has no operator "com.microsoft.QuickGelu" (node "gate")`,
		"input x f32[2]\ninit s i64[1] 3\noutput y f32[3]\nr: y = Reshape(x, s)":                        `operator "Reshape" (node "r"): ValueError: `,
	} {
		r := evaluate(t, model)
		for range 2 {
			_, err := r.Run(t.Context(), graphops.Feeds{"x": literal(t, "f32[2]{1,2}")})
			var lacking LackingError
			if !errors.As(err, &lacking) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	}
}

// A run that takes too long ends the child; the next one has another.
func TestReferenceTime(t *testing.T) {
	r := evaluate(t, "input x f32[2]\noutput y f32[2]\ny = Relu(x)")
	in := graphops.Feeds{"x": literal(t, "f32[2]{-1,2}")}
	r.Timeout = time.Millisecond
	if _, err := r.Run(t.Context(), in); err == nil || !strings.Contains(err.Error(), "took more than 1ms") {
		t.Errorf("got %v", err)
	}
	r.Timeout = time.Minute
	if got, err := r.Run(t.Context(), in); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(r.TempDir, "case-*")); len(left) > 0 {
		t.Errorf("values of earlier runs are left: %v", left)
	}
}
