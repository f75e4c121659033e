package look

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
)

// diffed compares two models, and writes the report.
func diffed(t *testing.T, a, b *graphops.Model, o diff.Options, all bool) (*diffReport, string) {
	t.Helper()
	d, err := diff.Compare(t.Context(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	r := newDiffReport("a", "b", d, all)
	var out strings.Builder
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}

const large = "input x f32[3000]\noutput y f32[3000]\ninit w f32[3000] 1\ny = Mul(x, w)\n"

// TestDiffPartly checks that the verdict claims no more than was compared.
func TestDiffPartly(t *testing.T) {
	a, b := graphtest.Model(t, large), graphtest.Model(t, large)
	r, said := diffed(t, a, b, diff.Options{WholeBytes: -1}, false)
	if !r.Equal || r.Identical != nil || r.Complete {
		t.Errorf("equal %t, identical %v, complete %t", r.Equal, r.Identical, r.Complete)
	}
	if want := "equal as far as compared: 1 node; 1 constant of 11.7 KiB by the first 4 KiB only, --weights compares all of them\n"; said != want {
		t.Errorf("says %s, want %s", said, want)
	}
	renamed := graphtest.Model(t, strings.ReplaceAll(large, "w", "v"))
	if _, said := diffed(t, a, renamed, diff.Options{WholeBytes: -1}, false); !strings.HasPrefix(said, "equal up to names as far as compared: ") {
		t.Errorf("says %s", said)
	}
	r, said = diffed(t, a, b, diff.Options{}, false)
	if r.Identical == nil || !*r.Identical || !r.Complete || said != "identical: 1 node\n" {
		t.Errorf("says %s", said)
	}
}

// TestDiffNaN checks that NaN in one model only counts as the largest difference.
func TestDiffNaN(t *testing.T) {
	const text = "input x f32[6]\noutput y f32[6]\ninit w f32[6] 1 2 3 4 5 6\ny = Mul(x, w)\n"
	a, b := graphtest.Model(t, text), graphtest.Model(t, strings.Replace(text, "4 5", "nan 50", 1))
	r, said := diffed(t, a, b, diff.Options{}, false)
	if !strings.Contains(said, "2 of 6 elements differ, 1 with NaN in one model only, the first at [3]: 4 → NaN") {
		t.Errorf("says %s", said)
	}
	if w := r.Weights.Changed[0]; *w.NaNMismatched != 1 || !math.IsNaN(float64(*w.MaxAbs)) {
		t.Errorf("%d, %v", *w.NaNMismatched, *w.MaxAbs)
	}
}

// TestSameFile checks that other names and copies of a file need no matching, unless they may have
// other external data.
func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	write := func(path, data string) *graphops.Model {
		t.Helper()
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Open(full, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	digits, err := os.ReadFile("../../../testdata/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	a, b := write("a.onnx", string(digits)), write("sub/b.onnx", string(digits))
	if !sameFile(a, a) || !sameFile(a, b) {
		t.Error("a copy is not the same")
	}
	c := write("c.onnx", strings.Replace(string(digits), "features", "featureZ", -1))
	if sameFile(a, c) || sameFile(a, graphtest.Model(t, large)) {
		t.Error("another file is the same")
	}
}
