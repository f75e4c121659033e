//go:build parity

package tensor

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// histograms2D has numpy count pairs in the bins that it is told.
const histograms2D = `
import json, sys
import numpy as np
for line in sys.stdin:
    q = json.loads(line)
    a, b = np.array(q["a"]), np.array(q["b"])
    edges = np.array(q["edges"])
    grid, _, _ = np.histogram2d(b, a, bins=[edges, edges])
    far = np.abs(a - b)
    powers = np.floor(np.log2(far[far > 0])).astype(int) if (far > 0).any() else np.zeros(0, int)
    print(json.dumps({"grid": grid.astype(int).ravel().tolist(), "a": np.histogram(a, edges)[0].tolist(),
        "first": int(powers.min()) if len(powers) else 0, "powers": np.bincount(powers - powers.min()).tolist() if len(powers) else []}))
`

// TestBesideAsNumpy has numpy count the same pairs. The bins are half open; numpy's last
// one is closed, and no number of these lies on its end.
func TestBesideAsNumpy(t *testing.T) {
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with numpy")
	}
	for _, name := range []string{"near", "growing", "apart", "one"} {
		pair := besideCases(t)[name]
		got := beside2(t, pair)
		as, bs := finitePairs(t, pair)
		var edges []float64
		for i := range got.Density.Side + 1 {
			edges = append(edges, got.Density.Edge(i))
		}
		in, err := json.Marshal(map[string]any{"a": as, "b": bs, "edges": edges})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", histograms2D)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(append(in, '\n')), os.Stderr
		raw, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Grid, A, Powers []int64
			First           int
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want.Grid, got.Density.Counts) {
			t.Errorf("%s: numpy counts other pairs", name)
		}
		if !slices.Equal(want.Powers, got.Errors.Counts) || want.First != got.Errors.First {
			t.Errorf("%s: errors %v from 2^%d, numpy %v from 2^%d", name, got.Errors.Counts, got.Errors.First, want.Powers, want.First)
		}
	}
}
