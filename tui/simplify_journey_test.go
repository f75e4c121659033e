//go:build linux

package tui

import (
	"testing"
)

// TestJourneyToLess makes a model smaller: see what the passes would do, leave one out and include
// it again, go to a node of one and back, apply, undo.
func TestJourneyToLess(t *testing.T) {
	j := setOut(t, "text_classifier.onnx", 80, 24, func(o *Options) { o.Env.Runtime = missingRuntime{} })
	j.types("S").sees("389 nodes → 155", "[x] equal-sizes")
	j.types("j", "space").sees("[ ] constant-nodes", "when it was still ticked").types("space").sees("[x] constant-nodes")
	j.types("j", "right", "j", "enter").sees("S leads back, n to the next", "dead-code: row 1 of 4")
	j.types("n", "S").sees("▾ [x] dead-code", "a does it").types("a").sees("simplify: no", "389 nodes → 155", "not proved")
	j.types("esc", "u").sees("took back simplify", "389 nodes").types("q", "y")
	if err := j.finish(); err != nil {
		t.Fatal(err)
	}
}
