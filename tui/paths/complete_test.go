package paths

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder makes files, and folders for names that end with a slash, and makes it the working folder.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range names {
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(name, 0o700)
		} else {
			err = os.WriteFile(name, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func complete(t *testing.T, typed string, extensions ...string) Found {
	t.Helper()
	f, err := Complete(t.Context(), typed, extensions)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func pathsOf(f Found) string {
	var out []string
	for _, e := range f.Entries {
		out = append(out, e.Path)
	}
	return strings.Join(out, "|")
}

func TestComplete(t *testing.T) {
	dir := folder(t, "runs/", "zoo/", "zoo/deep.onnx", ".hidden", "model.onnx", "model.int8.onnx", "notes.txt", "Model card.md", "a b\x1b[2J.onnx", "äa.npz", "äb.npz")
	t.Setenv("HOME", dir)
	if err := os.Symlink("zoo", "link"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ typed, want, common string }{
		{"", "link/|runs/|zoo/|a b\x1b[2J.onnx|model.int8.onnx|model.onnx|Model card.md|notes.txt|äa.npz|äb.npz", ""},
		{"mod", "model.int8.onnx|model.onnx", "model."},
		{"model.o", "model.onnx", "model.onnx"},
		{"MODEL C", "Model card.md", "MODEL C"},
		{"int8", "model.int8.onnx", "int8"},
		{"zo", "zoo/", "zoo/"},
		{"zoo/", "zoo/deep.onnx", "zoo/deep.onnx"},
		{"./zoo/d", "./zoo/deep.onnx", "./zoo/deep.onnx"},
		{"link/d", "link/deep.onnx", "link/deep.onnx"},
		{"~/zoo/d", "~/zoo/deep.onnx", "~/zoo/deep.onnx"},
		{"~", "~/link/|~/runs/|~/zoo/|~/a b\x1b[2J.onnx|~/model.int8.onnx|~/model.onnx|~/Model card.md|~/notes.txt|~/äa.npz|~/äb.npz", "~/"},
		{".h", ".hidden", ".hidden"},
		{"hid", "", "hid"},
		{"ä", "äa.npz|äb.npz", "ä"},
		{"nothing", "", "nothing"},
	} {
		f := complete(t, c.typed, ".onnx")
		if diff := cmp.Diff([]string{c.want, c.common}, []string{pathsOf(f), f.Common}); diff != "" {
			t.Errorf("%q: %s", c.typed, diff)
		}
	}
	if e := complete(t, "zo").Entries[0]; e.Name() != "zoo/" || !e.Dir {
		t.Errorf("a folder is %+v, called %q", e, e.Name())
	}
}

func TestExpand(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for in, want := range map[string]string{"~": "/home/me", "~/x": "/home/me/x", "~you/x": "~you/x", "a~": "a~", "": ""} {
		if got := Expand(in); got != want {
			t.Errorf("Expand(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCompleteSaysWhy(t *testing.T) {
	folder(t, "file", "shut/")
	for typed, want := range map[string]string{"gone/x": "there is no folder gone/", "file/x": "file/: not a directory"} {
		if _, err := Complete(t.Context(), typed, nil); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", typed, err, want)
		}
	}
	if err := os.Chmod("shut", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Complete(t.Context(), "shut/", nil); err == nil && os.Getuid() != 0 {
		t.Error("a folder that may not be read has no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Complete(ctx, "", nil); err == nil {
		t.Error("a completion that was canceled has no error")
	}
}

// TestCompleteInLongFolder: the best entries of a long folder are offered, and all are counted.
func TestCompleteInLongFolder(t *testing.T) {
	dir := folder(t, "zz.onnx", "zoo/")
	for i := range 2000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%04d.txt", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := complete(t, "", ".onnx")
	if f.Total != 2002 || len(f.Entries) != MostOffered || f.Partial || !strings.HasPrefix(pathsOf(f), "zoo/|zz.onnx|f0000.txt|") {
		t.Errorf("%d of %d: %s", len(f.Entries), f.Total, pathsOf(f)[:60])
	}
}
