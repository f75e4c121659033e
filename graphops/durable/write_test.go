package durable

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
)

// writeText writes a file of a line.
func writeText(t *testing.T, path, text string, overwrite bool) error {
	t.Helper()
	return WriteFile(t.Context(), path, Options{Overwrite: overwrite}, func(w io.Writer) error {
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
	if got := namesIn(t, dir); !slices.Equal(got, []string{"d", "link", "second"}) {
		t.Errorf("the folder holds %q", got)
	}
	if got := namesIn(t, filepath.Dir(file)); !slices.Equal(got, []string{"file"}) {
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
	if got := namesIn(t, dir); len(got) != 4 {
		t.Errorf("the folder holds %q", got)
	}
}

// TestWriteAboveNothing says which folder is missing.
func TestWriteAboveNothing(t *testing.T) {
	dir := t.TempDir()
	err := writeText(t, dir+"/none/../f", "new", false)
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
	mustDo(t, WriteFile(t.Context(), path, Options{Overwrite: true}, func(io.Writer) error {
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
		if got := namesIn(t, dir); !slices.Equal(got, []string{name}) {
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
	err := WriteFile(t.Context(), path, Options{}, func(w io.Writer) error {
		for _, name := range namesIn(t, dir) {
			mustDo(t, os.Remove(filepath.Join(dir, name)))
		}
		return nil
	})
	if err == nil || err.Error() != path+": was removed by another program while it was written; write it again" {
		t.Errorf("error %v", err)
	}
	if got := namesIn(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q", got)
	}
}
