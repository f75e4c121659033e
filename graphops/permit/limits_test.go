package permit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWithoutLimits: what a person typed has no limits.
func TestWithoutLimits(t *testing.T) {
	ctx := context.Background()
	for _, d := range Deeds() {
		if err := To(ctx, d); err != nil {
			t.Error(err)
		}
	}
	if err := ToWrite(ctx, "/etc/passwd", true); err != nil {
		t.Error(err)
	}
}

// TestToWrite: files are written in the folder, new ones only, whatever links and dots a path has.
func TestToWrite(t *testing.T) {
	dir := t.TempDir()
	folder, other, own := filepath.Join(dir, "r"), filepath.Join(dir, "r-other"), filepath.Join(dir, "own")
	for _, d := range []string{folder, other, own} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": other, "loop": "loop", "gone": filepath.Join(other, "gone"), "self": "."} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	ctx := Within(context.Background(), Limits{Folder: folder, Own: []string{own}, Files: []string{filepath.Join(other, "m.onnx")}, Replaced: []string{"made.onnx", "cases"}})
	for _, c := range []struct {
		path     string
		replaces bool
		want     bool
	}{
		{"a.onnx", false, true},
		{"deep/er/a.onnx", false, true},
		{filepath.Join(folder, "a.onnx"), false, true},
		{"self/self/a.onnx", false, true},
		{"a.onnx", true, false},
		{"made.onnx", true, true},
		{"made.onnx.data", true, false},
		{"cases/0/x.pb", true, true},
		{"../r/a.onnx", false, true},
		{"../a.onnx", false, false},
		{"../r-other/a.onnx", false, false},
		{"../r-other/m.onnx", false, true},
		{"../r-other/m.onnx", true, false},
		{"../r-other/m.onnx.data", false, true},
		{"../r-other/m2.onnx", false, false},
		{"out/a.onnx", false, false},
		{"out/new/a.onnx", false, false},
		{"out", false, false},
		{"gone", false, false},
		{"gone/a.onnx", false, false},
		{"loop/a.onnx", false, false},
		{"../r-other/m.onnx/below", false, true}, // a part of the path is a file: writing it fails
		{"file/below", false, true},
		{"/", false, false},
		{"", false, true}, // the folder itself
		{filepath.Join(own, "cache"), true, true},
		{filepath.Join(os.TempDir(), "lathe-trial-1", "m.onnx"), false, true},
		{filepath.Join(os.TempDir(), "lathe-file"), false, false},
		{filepath.Join(os.TempDir(), "other", "lathe-x", "m.onnx"), false, false},
	} {
		err := ToWrite(ctx, c.path, c.replaces)
		if (err == nil) != c.want {
			t.Errorf("%q, replaces %v: %v", c.path, c.replaces, err)
		}
		if err != nil && !strings.Contains(err.Error(), "pass --trust") {
			t.Errorf("%q: the error does not say what to do: %v", c.path, err)
		}
	}
}

// TestTo: only what is allowed may be done.
func TestTo(t *testing.T) {
	ctx := Within(context.Background(), Limits{Allowed: []Deed{Python}})
	for _, d := range Deeds()[Shell:] {
		if err := To(context.WithoutCancel(ctx), d); (err == nil) != (d == Python) {
			t.Errorf("%s: %v", d, err)
		}
	}
}
