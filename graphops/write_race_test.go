package graphops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// finished is a file that has been found fit to be put in place.
func finished(t *testing.T, path, content string, overwrite bool) *output {
	t.Helper()
	o, err := createOutput(context.Background(), path, WriteOptions{Overwrite: overwrite})
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
func TestCommitReplacesNothingThatAppeared(t *testing.T) {
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
			if err := first.commit(); err != nil {
				t.Fatal(err)
			}
			if err := second.commit(); errors.Is(err, errExists) == tt.overwrite {
				t.Errorf("the second commit: %v", err)
			}
			second.discard()
			checkOnly(t, dir, "m.onnx", tt.want)
		})
	}
}

// A model whose name is taken in the last moment leaves no data file behind.
func TestCommitAllIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	model, data := finished(t, path, "model", false), finished(t, path+".data", "data", false)
	if err := data.commit(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := model.commit()
	if !errors.Is(err, errExists) {
		t.Fatalf("the commit over another's file: %v", err)
	}
	withdraw([]*output{data})
	model.discard()
	checkOnly(t, dir, "m.onnx", "theirs")
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
