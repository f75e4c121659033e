package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/tui/cells"
)

// TestLayout draws the layout: Title, Left, Centre, Right, notIce and Status, at a tenth of their
// width.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		m    mode
		want string
	}{
		{"narrow", 80, mode{focus: regionCentre, left: true}, `
			TTTTTTTT
			CCCCCCCC
			CCCCCCCC
			SSSSSSSS`},
		{"narrow, the detail focused", 80, mode{focus: regionRight, notice: true}, `
			TTTTTTTT
			RRRRRRRR
			IIIIIIII
			SSSSSSSS`},
		{"beside each other", 120, mode{focus: regionCentre, left: true}, `
			TTTTTTTTTTTT
			CCCCCCCRRRRR
			CCCCCCCRRRRR
			SSSSSSSSSSSS`},
		{"the modules focused where not all has room", 120, mode{focus: regionLeft, left: true}, `
			TTTTTTTTTTTT
			LLLCCCCCCCCC
			LLLCCCCCCCCC
			SSSSSSSSSSSS`},
		{"all three", 160, mode{focus: regionRight, left: true}, `
			TTTTTTTTTTTTTTTT
			LLLCCCCCCCRRRRRR
			LLLCCCCCCCRRRRRR
			SSSSSSSSSSSSSSSS`},
		{"no modules", 160, mode{focus: regionCentre}, `
			TTTTTTTTTTTTTTTT
			CCCCCCCCC.RRRRRR
			CCCCCCCCC.RRRRRR
			SSSSSSSSSSSSSSSS`},
		{"zoomed", 160, mode{focus: regionCentre, left: true, zoom: true}, `
			TTTTTTTTTTTTTTTT
			CCCCCCCCCCCCCCCC
			CCCCCCCCCCCCCCCC
			SSSSSSSSSSSSSSSS`},
		{"what stands right never takes more than it can use", 300, mode{focus: regionCentre, left: true}, `
			TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT
			LLLLCCCCCCCCCCCCCCCCCCCRRRRRRR
			LLLLCCCCCCCCCCCCCCCCCCCRRRRRRR
			SSSSSSSSSSSSSSSSSSSSSSSSSSSSSS`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Split(strings.ReplaceAll(strings.TrimSpace(c.want), "\t", ""), "\n")
			drawn := strings.Split(sketch(layout(c.w, 8, c.m)), "\n")
			got := []string{drawn[0], drawn[1], drawn[6], drawn[7]}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sketch draws every tenth column of a screen.
func sketch(s screen) string {
	grid := make([][]byte, s.h)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(".", s.w))
	}
	for _, part := range []struct {
		r      cells.Rect
		letter byte
	}{
		{s.title, 'T'},
		{s.at[regionLeft], 'L'},
		{s.at[regionCentre], 'C'},
		{s.at[regionRight], 'R'},
		{s.notice, 'I'},
		{s.status, 'S'},
	} {
		for y := part.r.Y; y < part.r.Y+part.r.H; y++ {
			for x := part.r.X; x < part.r.X+part.r.W; x++ {
				grid[y][x] = part.letter
			}
		}
	}
	lines := make([]string, s.h)
	for y, row := range grid {
		for x := 5; x < s.w; x += 10 {
			lines[y] += string(row[x])
		}
	}
	return strings.Join(lines, "\n")
}

// TestLayoutCovers checks at every size that the parts do not overlap or reach outside the screen,
// and leave only the lines between them free.
func TestLayoutCovers(t *testing.T) {
	for w := minWidth; w <= 220; w++ {
		for h := minHeight; h <= 60; h += 7 {
			for i := range 24 {
				m := mode{focus: region(i % 3), zoom: i/3%2 == 1, left: i/6%2 == 1, notice: i/12 == 1}
				checkLayout(t, layout(w, h, m), m)
			}
		}
	}
}

func checkLayout(t *testing.T, s screen, m mode) {
	t.Helper()
	covered, shown := 0, 0
	for _, r := range append(s.at[:], s.title, s.notice, s.status) {
		if r.IsEmpty() {
			continue
		}
		covered += r.W * r.H
		if r.X < 0 || r.Y < 0 || r.X+r.W > s.w || r.Y+r.H > s.h {
			t.Fatalf("%d×%d %+v: %+v is outside", s.w, s.h, m, r)
		}
	}
	for _, r := range s.at {
		if !r.IsEmpty() {
			shown++
		}
	}
	if want := s.w*s.h - (shown-1)*s.body.H; covered != want {
		t.Fatalf("%d×%d %+v: %d cells are covered, want %d", s.w, s.h, m, covered, want)
	}
	if s.at[m.focus].IsEmpty() {
		t.Fatalf("%d×%d %+v: what has the focus does not show", s.w, s.h, m)
	}
}

func TestLayoutTooSmall(t *testing.T) {
	for _, size := range [][2]int{{minWidth - 1, 24}, {80, minHeight - 1}, {0, 0}} {
		if s := layout(size[0], size[1], mode{}); !s.tooSmall {
			t.Errorf("%v is not too small", size)
		}
	}
}
