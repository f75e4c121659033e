//go:build linux

package tui

import "testing"

// TestModulesBytes moves through a large model with the tree beside the list: the tree changes only
// at the end of a module, and other moves cost as much as without it.
func TestModulesBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x := openTerminal(t, t.Context(), testOptions(chain(t, 100_000)), 160, 40)
	x.await("layers.0…8332")
	x.rest()
	x.send("j") // the first move also replaces the overview by the detail
	x.rest()
	// A busy machine may draw a move late, with the next one. Only what many moves cost together is certain.
	const moves = 30
	total := 0
	for range moves {
		x.send("j")
		total += x.settle()
	}
	total += x.rest()
	if average := total / moves; average > 600 {
		t.Errorf("a move costs %d bytes on average, want at most 600", average)
	} else {
		t.Logf("a move costs %d bytes on average", average)
	}
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}
