package shell

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
		m    Mode
		want string
	}{
		{"narrow", 80, Mode{Focus: RegionCentre, Left: true}, `
			TTTTTTTT
			CCCCCCCC
			CCCCCCCC
			SSSSSSSS`},
		{"narrow, the detail focused", 80, Mode{Focus: RegionRight, Notice: true}, `
			TTTTTTTT
			RRRRRRRR
			IIIIIIII
			SSSSSSSS`},
		{"beside each other", 120, Mode{Focus: RegionCentre, Left: true}, `
			TTTTTTTTTTTT
			CCCCCCCRRRRR
			CCCCCCCRRRRR
			SSSSSSSSSSSS`},
		{"the modules focused where not all has room", 120, Mode{Focus: RegionLeft, Left: true}, `
			TTTTTTTTTTTT
			LLLCCCCCCCCC
			LLLCCCCCCCCC
			SSSSSSSSSSSS`},
		{"all three", 160, Mode{Focus: RegionRight, Left: true}, `
			TTTTTTTTTTTTTTTT
			LLLCCCCCCCRRRRRR
			LLLCCCCCCCRRRRRR
			SSSSSSSSSSSSSSSS`},
		{"no modules", 160, Mode{Focus: RegionCentre}, `
			TTTTTTTTTTTTTTTT
			CCCCCCCCCCRRRRRR
			CCCCCCCCCCRRRRRR
			SSSSSSSSSSSSSSSS`},
		{"zoomed", 160, Mode{Focus: RegionCentre, Left: true, Zoom: true}, `
			TTTTTTTTTTTTTTTT
			CCCCCCCCCCCCCCCC
			CCCCCCCCCCCCCCCC
			SSSSSSSSSSSSSSSS`},
		{"what stands right never takes more than it can use", 300, Mode{Focus: RegionCentre, Left: true}, `
			TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT
			LLLCCCCCCCCCCCCCCCCCCCCRRRRRRR
			LLLCCCCCCCCCCCCCCCCCCCCRRRRRRR
			SSSSSSSSSSSSSSSSSSSSSSSSSSSSSS`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Split(strings.ReplaceAll(strings.TrimSpace(c.want), "\t", ""), "\n")
			drawn := strings.Split(sketch(Layout(c.w, 8, c.m)), "\n")
			got := []string{drawn[0], drawn[1], drawn[6], drawn[7]}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sketch draws every tenth column of a screen.
func sketch(s Screen) string {
	grid := make([][]byte, s.H)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(".", s.W))
	}
	for _, part := range []struct {
		r      cells.Rect
		letter byte
	}{
		{s.Title, 'T'},
		{s.At[RegionLeft], 'L'},
		{s.At[RegionCentre], 'C'},
		{s.At[RegionRight], 'R'},
		{s.Notice, 'I'},
		{s.Status, 'S'},
	} {
		for y := part.r.Y; y < part.r.Y+part.r.H; y++ {
			for x := part.r.X; x < part.r.X+part.r.W; x++ {
				grid[y][x] = part.letter
			}
		}
	}
	lines := make([]string, s.H)
	for y, row := range grid {
		for x := 5; x < s.W; x += 10 {
			lines[y] += string(row[x])
		}
	}
	return strings.Join(lines, "\n")
}

// TestLayoutCovers checks at every size that the parts do not overlap or reach outside the screen,
// and leave only the lines between them free.
func TestLayoutCovers(t *testing.T) {
	for w := MinWidth; w <= 220; w++ {
		for h := MinHeight; h <= 60; h += 7 {
			for i := range 24 {
				m := Mode{Focus: Region(i % 3), Zoom: i/3%2 == 1, Left: i/6%2 == 1, Notice: i/12 == 1}
				checkLayout(t, Layout(w, h, m), m)
			}
		}
	}
}

func checkLayout(t *testing.T, s Screen, m Mode) {
	t.Helper()
	covered, shown := 0, 0
	for _, r := range append(s.At[:], s.Title, s.Notice, s.Status) {
		if r.IsEmpty() {
			continue
		}
		covered += r.W * r.H
		if r.X < 0 || r.Y < 0 || r.X+r.W > s.W || r.Y+r.H > s.H {
			t.Fatalf("%d×%d %+v: %+v is outside", s.W, s.H, m, r)
		}
	}
	for _, r := range s.At {
		if !r.IsEmpty() {
			shown++
		}
	}
	if want := s.W*s.H - (shown-1)*s.Body.H; covered != want {
		t.Fatalf("%d×%d %+v: %d cells are covered, want %d", s.W, s.H, m, covered, want)
	}
	if s.At[m.Focus].IsEmpty() {
		t.Fatalf("%d×%d %+v: what has the focus does not show", s.W, s.H, m)
	}
}

func TestLayoutTooSmall(t *testing.T) {
	for _, size := range [][2]int{{MinWidth - 1, 24}, {80, MinHeight - 1}, {0, 0}} {
		if s := Layout(size[0], size[1], Mode{}); !s.TooSmall {
			t.Errorf("%v is not too small", size)
		}
	}
}
