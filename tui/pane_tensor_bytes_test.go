//go:build linux

package tui

import (
	"slices"
	"testing"
)

// TestBytesBesideTensor moves through the list with a tensor beside it: the pane sends nothing
// before the selection rests.
func TestBytesBesideTensor(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, t.Context(), testOptions(chain(t, 20_000)), 120, 40)
	x.await("parameters")
	x.send("j5H")
	x.await("numbers")
	x.send("2")
	x.settle()
	var sizes []int
	for range 20 {
		x.send("j")
		sizes = append(sizes, x.settle())
	}
	slices.Sort(sizes)
	t.Logf("a move: %d bytes in the median, %d at most", sizes[len(sizes)/2], sizes[len(sizes)-1])
	if sizes[len(sizes)/2] > 500 {
		t.Errorf("a move takes %d bytes in the median, want 500 at most", sizes[len(sizes)/2])
	}
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}
