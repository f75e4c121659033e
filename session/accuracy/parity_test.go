//go:build cgo && parity

package accuracy

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/sessiontest"
)

// reference asks numpy and onnxruntime.
func reference(t *testing.T, kind, model, data string) (answer struct {
	Top1, Top5, Of, Right, Tokens int64
	Perplexity                    float64
},
) {
	t.Helper()
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with the references; run `make parity`")
	}
	out, err := exec.CommandContext(t.Context(), python, "testdata/reference.py", kind, model, data).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// noisy writes a copy of the digits with so much noise that many are not recognized.
func noisy(t *testing.T, path string) string {
	t.Helper()
	list, err := npz.Open(path, npz.Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for i, e := range list {
		values, err := e.Tensor.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != "input" {
			continue
		}
		for k := range values {
			values[k] += random.NormFloat64()
		}
		if list[i].Tensor, err = tensor.FromFloat64s(tensor.F32, values, e.Tensor.Shape...); err != nil {
			t.Fatal(err)
		}
	}
	return arrays(t, list...)
}

// TestAgainstPython: the same counts as numpy over onnxruntime, and the same perplexity up to rounding.
func TestAgainstPython(t *testing.T) {
	env := sessiontest.Env(t)
	const testdata = "../../testdata/"
	m, err := graphops.Open(testdata+"digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	result, _, err := quant.Dynamic(t.Context(), m, quant.DynamicOptions{WeightType: tensor.U8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "int8.onnx")
	if _, err := graphops.Save(t.Context(), result, small, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{testdata + "digits.onnx", testdata + "digits_test.npz"},
		{small, testdata + "digits_test.npz"},
		{testdata + "digits.onnx", noisy(t, testdata+"digits_test.npz")},
		{small, noisy(t, testdata+"digits_test.npz")},
		{testdata + "text_classifier.onnx", testdata + "text_test.npz"},
	} {
		s := &Accuracy{}
		s.Of.A, s.Of.Data = c[0], c[1]
		r, _, err := run1(t, env, s)
		if err != nil {
			t.Fatal(err)
		}
		want, got := reference(t, "classifier", c[0], c[1]), r.Models[0]
		if got.Top1.Right != want.Top1 || got.Top1.Of != want.Of || got.Top5 != nil && got.Top5.Right != want.Top5 {
			t.Errorf("%s: %+v, %+v, numpy has %+v", c[0], got.Top1, got.Top5, want)
		}
		t.Logf("%s: top-1 %d, numpy %d; top-5 %v, numpy %d; of %d", filepath.Base(c[0]), got.Top1.Right, want.Top1, got.Top5, want.Top5, want.Of)
	}
	ids := make([]int64, 40*50)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range ids {
		ids[i] = random.Int64N(96)
	}
	path := filepath.Join(t.TempDir(), "ids.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npz.WriteArray(f, tensor.FromSlice(ids, 40, 50)); err != nil {
		t.Fatal(err)
	}
	s := &Accuracy{Tokens: path}
	s.Of.A = testdata + "decoders/joined.onnx"
	r, _, err := run1(t, env, s)
	if err != nil {
		t.Fatal(err)
	}
	want, got := reference(t, "decoder", s.Of.A, path), r.Models[0].Text
	if math.Abs(float64(got.Perplexity)/want.Perplexity-1) > 1e-5 || got.Next.Right != want.Right || r.Texts.Tokens != want.Tokens {
		t.Errorf("texts: %+v of %d tokens, numpy has %+v", got, r.Texts.Tokens, want)
	}
	t.Logf("perplexity %v, numpy %v", got.Perplexity, want.Perplexity)
}
