package graphops_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lathe/graphops"
)

// writeText writes a file of a line.
func writeText(t *testing.T, path, text string, overwrite bool) error {
	t.Helper()
	return graphops.WriteFile(t.Context(), path, graphops.WriteOptions{Overwrite: overwrite}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func mustDo(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestWriteThroughLink changes the file that a symbolic link leads to and leaves
// the link.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	file, link, second := filepath.Join(dir, "d", "file"), filepath.Join(dir, "link"), filepath.Join(dir, "second")
	mustDo(t, os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("old"), 0o600),
		os.Symlink("d/file", link), os.Symlink("link", second))
	for _, path := range []string{link, second} {
		if err := writeText(t, path, "new", false); err == nil || !strings.HasPrefix(err.Error(), path+": exists already") {
			t.Errorf("%s: error %v", path, err)
		}
		mustDo(t, writeText(t, path, path, true))
		if b, err := os.ReadFile(file); string(b) != path || err != nil {
			t.Errorf("the file holds %q, %v", b, err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", info, err)
		}
	}
	if got := folder(t, dir); !slices.Equal(got, []string{"d", "link", "second"}) {
		t.Errorf("the folder holds %q", got)
	}
	if got := folder(t, filepath.Dir(file)); !slices.Equal(got, []string{"file"}) {
		t.Errorf("the file's folder holds %q", got)
	}
}

// TestWriteThroughBadLink says what is wrong with a link, with leave and without.
func TestWriteThroughBadLink(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	mustDo(t, os.Symlink("none", path("dangling")), os.Symlink("loop", path("loop")), os.Symlink(".", path("folder")),
		os.Symlink("/dev/null", path("device")))
	for name, want := range map[string]string{
		"dangling": "is a symbolic link that leads nowhere", "loop": "too many", "folder": "is a directory", "device": "is a device",
	} {
		for _, overwrite := range []bool{false, true} {
			err := writeText(t, path(name), "new", overwrite)
			if err == nil || !strings.HasPrefix(err.Error(), path(name)+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", name, err, want)
			}
		}
	}
	if got := folder(t, dir); len(got) != 4 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestSavePairThroughLink puts the data where both names of the model find it,
// and refuses to where there is no such place.
func TestSavePairThroughLink(t *testing.T) {
	m, _ := savable(t)
	dir := t.TempDir()
	file, near, far := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "near.onnx"), filepath.Join(dir, "d", "far.onnx")
	mustDo(t, os.WriteFile(file, nil, 0o600), os.Symlink("m.onnx", near), os.Mkdir(filepath.Dir(far), 0o700), os.Symlink(file, far))
	o := overwriting()
	o.Storage = graphops.StoreExternal
	if _, err := graphops.Save(t.Context(), m, far, o); err == nil || !strings.Contains(err.Error(), "far.onnx: is a symbolic link to "+file) {
		t.Errorf("error %v", err)
	}
	saved, err := graphops.Save(t.Context(), m, near, o)
	if err != nil || saved.Path != near || saved.Data[0].Path != file+".data" {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if a, b := contentOf(t, file), contentOf(t, near); a != b || a == "" {
		t.Error("the two names lead to different models")
	}
	o.Storage = graphops.StoreEmbedded
	if _, err := graphops.Save(t.Context(), m, far, o); err != nil {
		t.Error(err)
	}
	if got := folder(t, dir); !slices.Equal(got, []string{"d", "m.onnx", "near.onnx"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestSavePairAboveLink puts a model and its data into one folder where ".." behind
// a link is not what it is in the text of the path.
func TestSavePairAboveLink(t *testing.T) {
	m, _ := savable(t)
	dir := t.TempDir()
	mustDo(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700), os.Mkdir(filepath.Join(dir, "w"), 0o700),
		os.Symlink(filepath.Join(dir, "a", "b"), filepath.Join(dir, "w", "link")))
	asked := dir + "/w/link/../out.onnx"
	saved, err := graphops.Save(t.Context(), m, asked, graphops.SaveOptions{Storage: graphops.StoreExternal})
	if err != nil || saved.Path != asked || !strings.HasSuffix(saved.Data[0].Path, filepath.Join("a", "out.onnx.data")) {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if got := folder(t, filepath.Join(dir, "a")); !slices.Equal(got, []string{"b", "out.onnx", "out.onnx.data"}) {
		t.Errorf("the folder above the link's holds %q", got)
	}
	if got := folder(t, filepath.Join(dir, "w")); !slices.Equal(got, []string{"link"}) {
		t.Errorf("the link's own folder holds %q", got)
	}
	err = writeText(t, dir+"/none/../f", "new", false)
	if err == nil || !strings.Contains(err.Error(), "cannot be created: there is no folder "+dir+"/none/../; make it first") {
		t.Errorf("error %v", err)
	}
}

// TestWriteKeepsPermissions keeps the mode of the replaced file, whatever the
// umask is, and no special bits.
func TestWriteKeepsPermissions(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666, 0o777, 0o444, 0o755 | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky} {
		path := filepath.Join(t.TempDir(), "f")
		mustDo(t, os.WriteFile(path, nil, 0o600), os.Chmod(path, mode), writeText(t, path, "new", true))
		if info, err := os.Stat(path); err != nil || info.Mode() != mode.Perm() {
			t.Errorf("a file of mode %v became %v, %v", mode, info.Mode(), err)
		}
	}
	path := filepath.Join(t.TempDir(), "f")
	control := filepath.Join(t.TempDir(), "f")
	mustDo(t, writeText(t, path, "new", false), os.WriteFile(control, nil, 0o666))
	a, err := os.Stat(path)
	b, err2 := os.Stat(control)
	mustDo(t, err, err2)
	if a.Mode() != b.Mode() {
		t.Errorf("a new file has mode %v, others here have %v", a.Mode(), b.Mode())
	}
}

// TestWriteIsPrivateUnderway looks at the mode of the temporary of a file that
// others may not read.
func TestWriteIsPrivateUnderway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	mustDo(t, os.WriteFile(path, nil, 0o640))
	mustDo(t, graphops.WriteFile(t.Context(), path, graphops.WriteOptions{Overwrite: true}, func(io.Writer) error {
		list, err := os.ReadDir(dir)
		if err != nil || len(list) != 2 {
			t.Fatalf("%v, %v", list, err)
		}
		for _, e := range list {
			if info, err := e.Info(); e.Name() != "secret" && (err != nil || info.Mode() != 0o600) {
				t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
			}
		}
		return nil
	}))
}

// TestWriteKeepsOwner gives the file back to whom it belonged.
func TestWriteKeepsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "f")
	mustDo(t, os.WriteFile(path, nil, 0o660), os.Chown(path, 1234, 2345), writeText(t, path, "new", true))
	info, err := os.Stat(path)
	mustDo(t, err)
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 2345 {
		t.Errorf("the file belongs to %d:%d", s.Uid, s.Gid)
	}
}

// TestWriteLongName takes every name that the file system takes.
func TestWriteLongName(t *testing.T) {
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("ü", 127)} {
		dir := t.TempDir()
		mustDo(t, writeText(t, filepath.Join(dir, name), "new", false), writeText(t, filepath.Join(dir, name), "newer", true))
		if got := folder(t, dir); !slices.Equal(got, []string{name}) {
			t.Errorf("the folder holds %q", got)
		}
	}
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 256))
	if err := writeText(t, path, "new", false); err == nil || err.Error() != path+": file name too long" {
		t.Errorf("error %v", err)
	}
}

// TestTemporariesAreNotNamed makes writing fail and looks for the temporary's
// name in what is said.
func TestTemporariesAreNotNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	err := graphops.WriteFile(t.Context(), path, graphops.WriteOptions{}, func(w io.Writer) error {
		for _, name := range folder(t, dir) {
			mustDo(t, os.Remove(filepath.Join(dir, name)))
		}
		return nil
	})
	if err == nil || err.Error() != path+": was removed by another program while it was written; write it again" {
		t.Errorf("error %v", err)
	}
	if got := folder(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q", got)
	}
}
