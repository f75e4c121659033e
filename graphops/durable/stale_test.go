package durable

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
	if err := WriteFile(t.Context(), filepath.Join(dir, "f"), Options{IsOrphan: isOrphan}, func(io.Writer) error { return nil }); err != nil {
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
	RemoveStale(dir, isOrphan)
	if after := namesIn(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder held %q, it holds %q", before, after)
	}
}

// TestRemoveStaleLeavesTheLiving writes a file while others are written into the
// same folder.
func TestRemoveStaleLeavesTheLiving(t *testing.T) {
	dir := t.TempDir()
	outer, inner := filepath.Join(dir, "outer"), filepath.Join(dir, "inner")
	err := WriteFile(t.Context(), outer, Options{}, func(w io.Writer) error {
		if err := WriteFile(t.Context(), inner, Options{}, func(io.Writer) error { return nil }); err != nil {
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
					RemoveStale(dir, isOrphan)
				}
			}
		})
		writers.Go(func() {
			path := filepath.Join(dir, "f")
			for range 60 {
				if err := WriteFile(t.Context(), path, Options{Overwrite: true}, func(io.Writer) error { return nil }); err != nil {
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
