package graphops

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/durable"
)

// TestOrphanIsDoubted keeps a data file under a stale second name wherever a
// model may need it.
func TestOrphanIsDoubted(t *testing.T) {
	const id = "ABCDEFGH"
	tests := []struct {
		name  string
		kind  string
		setup func(t *testing.T, path string)
		stays bool
	}{
		{"new, its model was not placed", ".new", temporaryOf(id), false},
		{"new, its model was placed and is gone", ".new", nil, true},
		{"new, its model was placed", ".new", saving('a'), true},
		{"new, the old model names it", ".new", both(saving('a'), temporaryOf(id)), true},
		{"new, the old model cannot be read", ".new", both(garbage, temporaryOf(id)), true},
		{"old, its model was replaced by garbage", ".old", garbage, true},
		{"old, its model was not replaced", ".old", both(other, temporaryOf(id)), true},
		{"old, the model names it", ".old", saving('a'), true},
		{"old, its model was replaced", ".old", other, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m.onnx")
			if tt.setup != nil {
				tt.setup(t, path)
			}
			data := path + ".data"
			if _, err := os.Stat(data); err != nil {
				touch(t, data)
			}
			if err := os.Link(data, filepath.Join(dir, ".m.onnx.data."+id+tt.kind+".lathe-tmp")); err != nil {
				t.Skip("no hard links here: ", err)
			}
			durable.RemoveStale(dir, isOrphan)
			if _, err := os.Stat(data); (err == nil) != tt.stays {
				t.Errorf("the data file: %v", err)
			}
			for _, name := range namesIn(t, dir) {
				if durable.IsTemporary(name) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func garbage(t *testing.T, path string) { touch(t, path) }

// other is a model that names no data.
func other(t *testing.T, path string) { saveOld(t, path, "one file", pairModel(t, 'o', pairSize)) }

func saving(b byte) func(*testing.T, string) {
	return func(t *testing.T, path string) { saveOld(t, path, "a pair", pairModel(t, b, pairSize)) }
}

func temporaryOf(id string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		touch(t, filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+id+".lathe-tmp"))
	}
}

func both(f, g func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, path string) { f(t, path); g(t, path) }
}
