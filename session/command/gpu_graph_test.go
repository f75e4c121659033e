//go:build gpu && device

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/text"
)

// TestDeviceGraphOnCUDA is a part of `make gpu`. It captures graphs with CUDA and prints a table of the times
// with and without. The values of a replay are compared by the command.
func TestDeviceGraphOnCUDA(t *testing.T) {
	table := text.Table{Titles: []string{"model", ">ms", ">ms replayed", ">runs before", ">max abs"}}
	for _, model := range []string{"digits_batch1", "cnn_batch1", "vit_batch1", "lm_batch1", "rnn_batch1"} {
		args := []string{"bench", "testdata/" + model + ".onnx", "--ep", "cuda,cpu", "--seconds", "1", "--no-memory", "--no-store"}
		var plain, got timedRuns
		readDevice(t, &plain, args...)
		readDevice(t, &got, append(args, "--graph-capture")...)
		r := got.Runs[0]
		if r.Attached != "cuda" || r.Graph == nil || r.Graph.Before != 2 || r.Phases.Device.Complete != 0 {
			t.Errorf("%s: %+v, graph %+v", model, r, r.Graph)
			continue
		}
		table.Add(model, fmt.Sprintf("%.3f", plain.Runs[0].P50), fmt.Sprintf("%.3f", r.P50), r.Graph.Before, fmt.Sprintf("%.3g", r.Graph.MaxAbs))
	}
	if err := table.WriteText(os.Stdout, ""); err != nil {
		t.Fatal(err)
	}
	refusesGraph(t, 4, `node "choose" (If) decides in each run`, "bench", "testdata/if_loop.onnx", "--ep", "cuda,cpu", "--graph-capture")
	refusesGraph(t, 2, "nothing is copied in a run", "bench", "testdata/digits.onnx", "--ep", "cuda", "--graph-capture", "--with-copies")
	path := filepath.Join(t.TempDir(), "found.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, "input x f32[2,4]\noutput k i64[2,n]\nfind: k = NonZero(x)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refusesGraph(t, 4, `decide the size of axis 1 of "k", an output of node "find" (NonZero)`, "bench", path, "--ep", "cuda,cpu", "--graph-capture")
}
