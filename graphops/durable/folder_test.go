package durable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entries returns the names in a folder.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteFolder(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	fill := func(temp string) error { return os.WriteFile(filepath.Join(temp, "a"), []byte("x"), 0o600) }
	if err := WriteFolder(t.Context(), out, fill); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, out); len(got) != 1 || got[0] != "a" || len(entries(t, dir)) != 1 {
		t.Errorf("the folder has %v, beside %v", got, entries(t, dir))
	}
	if err := WriteFolder(t.Context(), out, fill); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("it was written twice: %v", err)
	}
}

// TestWriteFolderNotAtAll checks that nothing is left if the folder cannot be completed.
func TestWriteFolderNotAtAll(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		ctx  context.Context
		fill func(dir, temp string) error
	}{
		"an error":         {t.Context(), func(_, _ string) error { return errors.New("no") }},
		"cancelled":        {cancelled, func(_, _ string) error { cancel(); return nil }},
		"another was made": {t.Context(), func(dir, _ string) error { return os.Mkdir(filepath.Join(dir, "out"), 0o700) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := WriteFolder(c.ctx, filepath.Join(dir, "out"), func(temp string) error {
				if err := os.WriteFile(filepath.Join(temp, "a"), []byte("x"), 0o600); err != nil {
					return err
				}
				return c.fill(dir, temp)
			})
			if err == nil {
				t.Error("it was written")
			}
			for _, n := range entries(t, dir) {
				if n != "out" || name != "another was made" || len(entries(t, filepath.Join(dir, n))) > 0 {
					t.Errorf("%s stays", n)
				}
			}
		})
	}
}

// TestWriteFolderRemovesStale removes what a killed process left, and nothing else: not what another
// process is writing, and nothing with another name.
func TestWriteFolderRemovesStale(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".out.1.lathe-tmp", ".out.2.lathe-tmp", ".other.1.lathe-tmp", ".o[u]t.1.lathe-tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".out.3.lathe-tmp"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(filepath.Join(dir, ".out.2.lathe-tmp"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := Lock(held); err != nil {
		t.Skip("this file system has no locks: ", err)
	}
	err = WriteFolder(t.Context(), filepath.Join(dir, "out"), func(temp string) error {
		removeStaleFolders(filepath.Join(dir, "out")) // as another process would
		return os.WriteFile(filepath.Join(temp, "a"), []byte("x"), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".o[u]t.1.lathe-tmp", ".other.1.lathe-tmp", ".out.2.lathe-tmp", ".out.3.lathe-tmp", "out"}
	if got := entries(t, dir); !slices.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
	removeStaleFolders(filepath.Join(dir, "o[u]t"))
	if got := entries(t, dir); slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("there is %v", got)
	}
}
