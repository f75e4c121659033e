package durable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
