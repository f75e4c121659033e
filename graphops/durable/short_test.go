package durable

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestShort refuses a large write that certainly does not fit, and no other.
func TestShort(t *testing.T) {
	full := room{folder: "/d", wanted: 3 << 30, known: true, whole: true, free: 300 << 20}
	const want = "too little space: 3.0 GiB to write, 300.0 MiB are free in /d; make room or choose another folder"
	if err := full.short(); err == nil || err.Error() != want || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("%v, want %s", err, want)
	}
	for name, change := range map[string]func(*room){
		"it fits":                  func(r *room) { r.free = r.wanted },
		"little":                   func(r *room) { r.wanted, r.free = largeWrite-1, 0 },
		"blocks may be shared":     func(r *room) { r.whole = false },
		"the space is not known":   func(r *room) { r.known = false },
		"the number is not stated": func(r *room) { r.wanted = 0 },
	} {
		r := full
		change(&r)
		if err := r.short(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGroupTooLarge refuses a group before it writes anything.
func TestGroupTooLarge(t *testing.T) {
	dir := t.TempDir()
	r := roomIn(dir, 0)
	if !r.whole {
		t.Skip("the temporary folder is on a file system that may compress or share blocks")
	}
	at, err := findTarget(filepath.Join(dir, "m.onnx"), false)
	if err != nil {
		t.Fatal(err)
	}
	write := func(io.Writer) error { t.Error("it writes"); return nil }
	main, data := Part{Bytes: 10, Write: write}, Part{Name: "m.data", Bytes: 1 << 50, Write: write}
	g, err := NewGroup(context.Background(), at, main, []Part{data}, Options{})
	if err == nil {
		g.Discard()
		t.Fatal("a write of a petabyte is not refused")
	}
	if !strings.HasPrefix(err.Error(), at.Asked+": too little space: 1048576.0 GiB to write, ") {
		t.Error(err)
	}
	if left := namesIn(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestGroupTaken: if another program takes the name of a data file, the error does not advise
// --force, which the user may have given.
func TestGroupTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	g := newGroup(t, path, "mine", 1, true)
	defer g.Discard()
	for _, o := range g.others {
		if err := os.WriteFile(o.target.Path, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := g.placeOther(o)
		if err == nil || strings.Contains(err.Error(), "--force") || !strings.Contains(err.Error(), "run the command again") {
			t.Error(err)
		}
	}
	at, err := findTarget(path, true)
	if err != nil {
		t.Fatal(err)
	}
	part := Part{Name: filepath.Base(g.others[0].target.Path), Write: func(io.Writer) error { return nil }}
	if _, err := NewGroup(context.Background(), at, part, []Part{part}, Options{Overwrite: true}); !errors.Is(err, errTaken) {
		t.Errorf("a name that is taken: %v", err)
	}
}
