//go:build parity

package shape_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
)

// TestSizesRun holds the demands of each model against ONNX Runtime.
func TestSizesRun(t *testing.T) {
	python := reference.Start(t, "testdata/runs.py")
	for _, x := range sizes {
		t.Run(x.model, func(t *testing.T) {
			r, err := shape.Infer(t.Context(), graphtest.Model(t, x.text()), shape.Options{})
			if err != nil {
				t.Fatal(err)
			}
			runs := x.assignments(t)
			refusals := x.refusals(t, python, runs)
			if !slices.Contains(refusals, "") {
				t.Error("no run succeeds")
			}
			broken := map[string]bool{}
			for i, refusal := range refusals {
				for _, d := range compareRun(t, r, runs[i], refusal) {
					broken[d.Text()] = true
				}
			}
			for _, d := range r.Demands {
				if !broken[d.Text()] {
					t.Errorf("%q holds at all sizes that are tried", d)
				}
			}
		})
	}
}

// refusals are why the runtime does not run the model at some sizes, "" where it does.
func (x sized) refusals(t *testing.T, python *reference.Python, runs []map[string]int64) []string {
	t.Helper()
	feed := map[string]string{}
	for _, f := range strings.Split(x.feed, "; ") {
		if name, value, ok := strings.Cut(f, "="); ok {
			feed[name] = value
		}
	}
	var a struct {
		Error string
		Runs  []string
	}
	model := base64.StdEncoding.EncodeToString(graphtest.Bytes(t, x.text()))
	python.Ask(t, map[string]any{"model": model, "runs": runs, "feed": feed}, &a)
	if a.Error != "" {
		t.Fatalf("does not load: %s", a.Error)
	}
	return a.Runs
}

// compareRun returns the demands that sizes break, and fails the test where the runtime
// is of another opinion.
func compareRun(t *testing.T, r *shape.Result, sizes map[string]int64, refusal string) []shape.Demand {
	t.Helper()
	broken, refused := unmet(r, sizes)
	switch {
	case refusal == "" && refused:
		t.Errorf("%v runs, against %q", sizes, broken)
	case refusal != "" && len(broken) == 0:
		t.Errorf("%v fails, and nothing demands that: %s", sizes, refusal)
	}
	return broken
}
