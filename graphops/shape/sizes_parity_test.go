//go:build parity

package shape_test

import (
	"encoding/base64"
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
			model := graphtest.Bytes(t, x.text())
			r, err := shape.Infer(t.Context(), graphtest.Model(t, x.text()), shape.Options{})
			if err != nil {
				t.Fatal(err)
			}
			runs := x.assignments(t)
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
			python.Ask(t, map[string]any{"model": base64.StdEncoding.EncodeToString(model), "runs": runs, "feed": feed}, &a)
			if a.Error != "" {
				t.Fatalf("does not load: %s", a.Error)
			}
			ran, all := 0, map[string]bool{}
			for i, refused := range a.Runs {
				wanted, never := unmet(r, runs[i])
				for _, w := range wanted {
					all[w.Text()] = true
				}
				switch {
				case refused == "":
					if ran++; never {
						t.Errorf("%v runs, against %q", runs[i], wanted)
					}
				case len(wanted) == 0:
					t.Errorf("%v fails, and nothing demands that: %s", runs[i], refused)
				}
			}
			if ran == 0 {
				t.Error("no run succeeds")
			}
			for _, d := range r.Demands {
				if !all[d.Text()] {
					t.Errorf("%q holds at all sizes that are tried", d)
				}
			}
		})
	}
}
