//go:build cgo

package worker

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lathe/session/ort/wire"
)

// A graph's own file bears no name that a file of the original has: references to those
// come to lie beside it.
func TestDumpNames(t *testing.T) {
	from := t.TempDir()
	for _, name := range []string{"graph", "graph-2"} {
		if err := os.WriteFile(filepath.Join(from, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := (dump{from: from}).freeName("graph"); got != "graph-3" {
		t.Errorf("got %q", got)
	}
	if got := (dump{}).freeName("graph"); got != "graph" {
		t.Errorf("without a folder: got %q", got)
	}
}

// A graph refers to files of one folder and not to what is above it.
func TestDumpLinks(t *testing.T) {
	d := dump{folder: t.TempDir(), from: t.TempDir()}
	for _, location := range []string{"../x", "a/b", "/etc/passwd", "..", ""} {
		if err := d.link(location); err == nil {
			t.Errorf("%q is linked to", location)
		}
	}
	if err := d.link("weights"); err != nil {
		t.Error(err)
	}
	if target, err := os.Readlink(filepath.Join(d.folder, "weights")); err != nil || target != filepath.Join(d.from, "weights") {
		t.Errorf("%q, %v", target, err)
	}
}

func TestTransformersIn(t *testing.T) {
	var log []wire.LogLine
	for _, message := range []string{
		"GraphTransformer A modified: 1 with status: OK",
		"GraphTransformer B modified: 0 with status: OK",
		"something of GraphTransformer C modified: 1",
		"GraphTransformer D modified: 1 with status: OK",
		"GraphTransformer A modified: 1 with status: OK",
	} {
		log = append(log, wire.LogLine{Message: message})
	}
	if got := transformersIn(log); !slices.Equal(got, []string{"A", "D"}) {
		t.Errorf("got %q", got)
	}
}
