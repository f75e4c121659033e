//go:build linux

package tui

import (
	"slices"
	"testing"
)

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
	var sizes []int
	for range 30 {
		x.send("j")
		sizes = append(sizes, x.settle())
	}
	slices.Sort(sizes)
	if median, most := sizes[len(sizes)/2], sizes[len(sizes)-1]; median > 500 || most > 1400 {
		t.Errorf("a move costs %d bytes in the median, %d at most; want 500 and 1400", median, most)
	} else {
		t.Logf("a move costs %d bytes in the median, %d at most", median, most)
	}
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}
