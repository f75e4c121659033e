package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); !errors.Is(err, ErrHeld) {
		t.Errorf("a second lock gives %v, want %v", err, ErrHeld)
	}
	first.Close()
	if err := Lock(second); err != nil {
		t.Errorf("after the first is closed: %v", err)
	}
	if !IsAt(second, path) {
		t.Error("the file is not at its own name")
	}
	if err := os.Remove(path); err != nil || IsAt(second, path) {
		t.Errorf("the file is at a name that was removed: %v", err)
	}
	if open(); IsAt(second, path) {
		t.Error("the file is at the name of another one")
	}
}
