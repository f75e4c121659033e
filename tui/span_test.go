package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/session"
)

func TestRange(t *testing.T) {
	d := branchyDesk(t, 120, 24)
	d.press("j", "j", "j", "v", "j", "j") // left, right, join
	d.sees("3 rows in the range")
	d.press("space")
	if diff := cmp.Diff([]string{"a", "b", "c"}, d.app.ws.Marks.Names); diff != "" {
		t.Error(diff)
	}
	d.press("k", "v", "k", "space") // right and left: all marked, so unmarked
	if diff := cmp.Diff([]string{"c"}, d.app.ws.Marks.Names); diff != "" {
		t.Error(diff)
	}
	d.press("v", "j", "esc")
	if d.app.ws.Span.On || d.selected() != "right" {
		t.Errorf("Esc does not end the range alone: %q is selected", d.selected())
	}
}

// TestCutOut keeps only the nodes of a range.
func TestCutOut(t *testing.T) {
	d := branchyDesk(t, 120, 24)
	d.press("j", "j", "j", "v", "j", "j") // left, right, join
	step, err := cutOut(d.app.ws)
	if err != nil {
		t.Fatal(err)
	}
	want := "lathe prune model.onnx --output=c --input=h"
	if diff := cmp.Diff(want, session.CommandOf(step, d.app.ws.Options.Path)); diff != "" {
		t.Error(diff)
	}
	d.press("p")
	d.sees("prune: ok", "3 nodes")
	if d.app.ws.Span.On {
		t.Error("the range is still there")
	}
}
