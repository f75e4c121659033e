//go:build cgo

package trial

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

func storedModel(t *testing.T, folder, text string) *graphops.Model {
	t.Helper()
	path := filepath.Join(folder, "model.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A worker that has run one model can read no other, so a model in another folder gets a worker of its
// own, without a word.
func TestReuseAcrossFolders(t *testing.T) {
	w := sessiontest.Workers(t)
	defer w.Prepare(t.Context(), runtime.NeedWorker, runtime.Execution{})()
	for _, text := range []string{"input x f32[2]\noutput y f32[2]\ny = Neg(x)\n", "input x f32[2]\noutput y f32[2]\ny = Abs(x)\n"} {
		l, err := w.Load(t.Context(), storedModel(t, t.TempDir(), text), runtime.Execution{Reuse: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
