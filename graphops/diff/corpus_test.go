package diff_test

import (
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
)

// corpus are models that others made, and those of testdata.
func corpus(t *testing.T) map[string]*graphops.Model {
	t.Helper()
	out := map[string]*graphops.Model{}
	for _, pattern := range []string{"../../testdata/*.onnx", "../../../shared/models/*/*.onnx"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			m, err := graphops.Open(f, graphops.OpenOptions{})
			if err != nil {
				continue // broken ones are in the folder, too
			}
			if _, err := m.Graph().Order(); err == nil {
				out[f] = m
			}
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d models only", len(out))
	}
	return out
}

// TestSame compares every model with itself, and with itself in disguise.
func TestSame(t *testing.T) {
	for name, m := range corpus(t) {
		d := compare(t, m, m)
		if !d.Identical {
			t.Errorf("%s is not identical with itself:%s", name, summary(d))
		}
		d = compare(t, m, disguised(m, 1))
		if read := len(d.Notes.Unread) == 0; d.Equal != read || d.Identical {
			t.Errorf("%s in disguise: equal %v, identical %v:%s", name, d.Equal, d.Identical, summary(d))
		}
	}
}

func compare(t testing.TB, a, b *graphops.Model) *diff.Diff {
	t.Helper()
	d, err := diff.Compare(t.Context(), a, b, diff.Options{Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
