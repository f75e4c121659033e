//go:build cgo

package quantization

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/sessiontest"
)

// withNormalization is a Conv followed by a BatchNormalization.
const withNormalization = `
	input x f32[n,2,4,4]
	output y f32[n,3,4,4]
	init w f32[3,2,1,1] 0.5 -0.25 0.125 1 -1 0.75
	init s f32[3] 1.5 0.5 2
	init b f32[3] 0.1 -0.2 0
	init m f32[3] 0.2 0.1 0
	init v f32[3] 1 2 0.5
	conv: h = Conv(x, w)
	norm: g = BatchNormalization(h, s, b, m, v)
	relu: y = Relu(g)`

// rowsOfX writes an archive of n rows for an input x.
func rowsOfX(t *testing.T, n int, shape ...int64) string {
	t.Helper()
	count := n
	for _, d := range shape {
		count *= int(d)
	}
	x := make([]float32, count)
	for i := range x {
		x[i] = float32(i*37%101)/50 - 1
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npz.Write(f, []npz.Entry{{Name: "x", Tensor: tensor.FromSlice(x, append([]int64{int64(n)}, shape...)...)}}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPrepare checks that a normalization is folded before calibration unless that is turned off,
// and that the report says which.
func TestPrepare(t *testing.T) {
	env := sessiontest.Env(t)
	m := graphtest.Model(t, withNormalization)
	s := &Quantization{Mode: "static"}
	s.Data, s.NoTrial = rowsOfX(t, 20, 2, 4, 4), true
	for _, asItIs := range []bool{false, true} {
		s.NoPreprocess = asItIs
		q, r, err := s.Quantize(t.Context(), env, m)
		if err != nil {
			t.Fatal(err)
		}
		normalized := strings.Contains(strings.Join(graphtest.Nodes(q.Graph()), "\n"), "BatchNormalization")
		if normalized != asItIs || (r.Prepared == nil) != asItIs || (len(r.Warnings) == 1) != asItIs {
			t.Errorf("as it is %v: %v, %+v, warnings %v", asItIs, graphtest.Nodes(q.Graph()), r.Prepared, r.Warnings)
		}
		if r.Ranges.Cases != 3 {
			t.Errorf("%d cases of 20 rows, expected 3", r.Ranges.Cases)
		}
		var text strings.Builder
		r.Prepared.writeText(&text)
		if want := "simplified first,  3 nodes → 2: unused-constants 1, fold-batchnorm 1\n"; !asItIs && text.String() != want {
			t.Errorf("%q, expected %q", text.String(), want)
		}
	}
	s.NoPreprocess, s.Exclude = false, []string{"norm"}
	if _, _, err := s.Quantize(t.Context(), env, m); err == nil || !strings.Contains(err.Error(), "--no-preprocess") {
		t.Errorf("of a node that was folded: %v", err)
	}
	s.Exclude = []string{"nothing"}
	if _, _, err := s.Quantize(t.Context(), env, m); err == nil || strings.Contains(err.Error(), "--no-preprocess") {
		t.Errorf("of a node that never was: %v", err)
	}
	s.Exclude, s.Ranges = nil, filepath.Join(t.TempDir(), "ranges.json")
	s.NoPreprocess = true
	if _, _, err := s.Quantize(t.Context(), env, m); err != nil {
		t.Fatal(err)
	}
	s.NoPreprocess = false
	if _, _, err := s.Quantize(t.Context(), env, m); err == nil || !strings.Contains(err.Error(), "--no-preprocess") {
		t.Errorf("with ranges of the model as it was: %v", err)
	}
}

// TestPreparedResult checks that the result is compared with the original model, before
// simplification.
func TestPreparedResult(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	s := &Quantization{Mode: "static"}
	s.Data, s.Out = rowsOfX(t, 20, 2, 4, 4), filepath.Join(t.TempDir(), "y.onnx")
	if _, err := s.Run(t.Context(), env, graphtest.Model(t, withNormalization)); err != nil {
		t.Fatal(err)
	}
	if _, err := graphops.Open(s.Out, graphops.OpenOptions{}); err != nil {
		t.Error(err)
	}
}
