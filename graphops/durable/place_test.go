package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// finished is a file that has been found fit to be put in place.
func finished(t *testing.T, path, content string, overwrite bool) *output {
	t.Helper()
	at, err := findTarget(path, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	o, err := createOutput(t.Context(), at, newTempName(at), roomIn(at.Folder(), 0), Options{Overwrite: overwrite})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.discard)
	if _, err := o.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := o.finish(); err != nil {
		t.Fatal(err)
	}
	return o
}

// Two programs that write the same new file: the first keeps it.
func TestPlaceReplacesNothingThatAppeared(t *testing.T) {
	for name, tt := range map[string]struct {
		overwrite bool
		want      string
	}{
		"without leave": {false, "first"},
		"with leave":    {true, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m.onnx")
			first, second := finished(t, path, "first", tt.overwrite), finished(t, path, "second", tt.overwrite)
			if err := first.place(); err != nil {
				t.Fatal(err)
			}
			if err := second.place(); errors.Is(err, errExists) == tt.overwrite {
				t.Errorf("the second place: %v", err)
			}
			second.discard()
			checkOnly(t, dir, "m.onnx", tt.want)
		})
	}
}

func checkOnly(t *testing.T, dir, name, content string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the folder holds %v, want %s alone", entries, name)
	}
	if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != content {
		t.Errorf("%s holds %q (%v), want %q", name, b, err, content)
	}
}
