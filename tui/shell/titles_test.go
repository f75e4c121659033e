package shell

import (
	"strings"
	"testing"
)

// TestTitles shortens titles only as far as it must.
func TestTitles(t *testing.T) {
	titles := []PaneTitle{{0, "overview"}, {3, "detail"}, {4, "origin"}, {5, "tensor"}, {6, "inputs"}}
	for _, c := range []struct {
		w, shown int
		want     string
	}{
		{80, 0, " 0 overview  3 detail  4 origin  5 tensor  6 inputs "},
		{52, 0, " 0 overview  3 detail  4 origin  5 tensor  6 inputs "},
		{50, 0, " 0 overview  3 detail 4 origin 5 tensor  6 inputs "},
		{48, 0, " 0 overview  3 detail 4 origin 5 tensor 6 inputs"},
		{47, 0, " 0 overview  3 detail 4 origin 5 tensor 6"},
		{40, 0, " 0 overview  3 detail 4 origin 5 6"},
		{40, 4, " 0 overview 3 detail 4 5 6 inputs "},
		{26, 4, " 0 3 4 5 6 inputs "},
	} {
		if got := strings.Join(Titles(titles, c.shown, c.w), ""); got != c.want {
			t.Errorf("%d cells: got %q, want %q", c.w, got, c.want)
		}
	}
}
