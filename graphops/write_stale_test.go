package graphops

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRemoveStale removes temporaries that nobody holds, and nothing that only
// looks like one.
func TestRemoveStale(t *testing.T) {
	files := map[string]bool{ // whether they stay
		".out.onnx.ABCDEFG2.lathe-tmp":          false,
		".x.ABCDEFG2.new.lathe-tmp":             false,
		".x.ABCDEFG2.old.lathe-tmp":             false,
		".a.b.c.22222222.lathe-tmp":             false,
		".out.onnx.ABCDEFG1.lathe-tmp":          true, // no 1 in an id
		".out.onnx.abcdefgh.lathe-tmp":          true,
		".out.onnx.ABCDEFG.lathe-tmp":           true,
		".out.onnx.ABCDEFGHI.lathe-tmp":         true,
		".ABCDEFGH.lathe-tmp":                   true,
		"out.onnx.ABCDEFGH.lathe-tmp":           true,
		".out.onnx.ABCDEFGH.lathe-tmp~":         true,
		".out.onnx.ABCDEFGH.odd.lathe-tmp":      true,
		".out.onnx.\nABCDEFGH.lathe-tmp.backup": true,
	}
	dir := t.TempDir()
	want := []string{"f"}
	for name, stays := range files {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o400); err != nil {
			t.Fatal(err)
		}
		if stays {
			want = append(want, name)
		}
	}
	if err := WriteFile(t.Context(), filepath.Join(dir, "f"), WriteOptions{}, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

// TestRemoveStaleFollowsNothing leaves links, folders and pipes under such names,
// and what the links lead to.
func TestRemoveStaleFollowsNothing(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("precious"), []byte("precious"), 0o600),
		os.Symlink("precious", at(".a.ABCDEFGH.lathe-tmp")),
		os.Symlink("none", at(".b.ABCDEFGH.lathe-tmp")),
		os.Mkdir(at(".c.ABCDEFGH.lathe-tmp"), 0o700),
		unix.Mkfifo(at(".d.ABCDEFGH.lathe-tmp"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := namesIn(t, dir)
	removeStale(dir)
	if after := namesIn(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder held %q, it holds %q", before, after)
	}
}

// TestRemoveStaleLeavesTheLiving writes a file while others are written into the
// same folder.
func TestRemoveStaleLeavesTheLiving(t *testing.T) {
	dir := t.TempDir()
	outer, inner := filepath.Join(dir, "outer"), filepath.Join(dir, "inner")
	err := WriteFile(t.Context(), outer, WriteOptions{}, func(w io.Writer) error {
		if err := WriteFile(t.Context(), inner, WriteOptions{}, func(io.Writer) error { return nil }); err != nil {
			return err
		}
		_, err := io.WriteString(w, "whole")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(outer); string(b) != "whole" || err != nil {
		t.Errorf("the outer file holds %q, %v", b, err)
	}
	if got := namesIn(t, dir); !slices.Equal(got, []string{"inner", "outer"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestWritersAndSweepers writes into a folder that others sweep all the time: a
// temporary that is taken for a stale one before it is locked is made again.
func TestWritersAndSweepers(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var sweepers, writers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					removeStale(dir)
				}
			}
		})
		writers.Go(func() {
			path := filepath.Join(dir, "f")
			for range 60 {
				if err := WriteFile(t.Context(), path, WriteOptions{Overwrite: true}, func(io.Writer) error { return nil }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(done)
	sweepers.Wait()
	if got := namesIn(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestOrphanIsDoubted keeps a data file under a stale second name wherever a
// model may need it.
func TestOrphanIsDoubted(t *testing.T) {
	const id = "ABCDEFGH"
	tests := []struct {
		name  string
		kind  tempKind
		setup func(t *testing.T, path string)
		stays bool
	}{
		{"new, its model was not placed", tempNew, temporaryOf(id), false},
		{"new, its model was placed and is gone", tempNew, nil, true},
		{"new, its model was placed", tempNew, saving('a'), true},
		{"new, the old model names it", tempNew, both(saving('a'), temporaryOf(id)), true},
		{"new, the old model cannot be read", tempNew, both(garbage, temporaryOf(id)), true},
		{"old, its model was replaced by garbage", tempOld, garbage, true},
		{"old, its model was not replaced", tempOld, both(other, temporaryOf(id)), true},
		{"old, the model names it", tempOld, saving('a'), true},
		{"old, its model was replaced", tempOld, other, false},
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
			if err := os.Link(data, filepath.Join(dir, tempName{"m.onnx.data", id, tt.kind}.String())); err != nil {
				t.Skip("no hard links here: ", err)
			}
			removeStale(dir)
			if _, err := os.Stat(data); (err == nil) != tt.stays {
				t.Errorf("the data file: %v", err)
			}
			if got := temporariesIn(dir); len(got) > 0 {
				t.Errorf("%v is left", got)
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
		touch(t, filepath.Join(filepath.Dir(path), tempName{base: filepath.Base(path), id: id}.String()))
	}
}

func both(f, g func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, path string) { f(t, path); g(t, path) }
}
