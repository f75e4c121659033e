package tui

import (
	"lathe/tui/cells"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLayout draws where things stand: Title, Nodes, Detail, notIce, Status and
// the divider, a tenth as wide as they are.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		m    mode
		want string
	}{
		{"narrow", 80, 8, mode{}, `
			TTTTTTTT
			NNNNNNNN
			NNNNNNNN
			NNNNNNNN
			NNNNNNNN
			NNNNNNNN
			NNNNNNNN
			SSSSSSSS`},
		{"narrow, the detail focused", 80, 8, mode{detail: true, notice: true}, `
			TTTTTTTT
			DDDDDDDD
			DDDDDDDD
			DDDDDDDD
			DDDDDDDD
			DDDDDDDD
			IIIIIIII
			SSSSSSSS`},
		{"beside each other", 120, 8, mode{}, `
			TTTTTTTTTTTT
			NNNNNNNDDDDD
			NNNNNNNDDDDD
			NNNNNNNDDDDD
			NNNNNNNDDDDD
			NNNNNNNDDDDD
			NNNNNNNDDDDD
			SSSSSSSSSSSS`},
		{"a detail never takes more than it can use", 300, 8, mode{detail: true, notice: true}, `
			TTTTTTTTTTTTTTTTTTTTTTTTTTTTTT
			NNNNNNNNNNNNNNNNNNNNNNNDDDDDDD
			NNNNNNNNNNNNNNNNNNNNNNNDDDDDDD
			NNNNNNNNNNNNNNNNNNNNNNNDDDDDDD
			NNNNNNNNNNNNNNNNNNNNNNNDDDDDDD
			NNNNNNNNNNNNNNNNNNNNNNNDDDDDDD
			IIIIIIIIIIIIIIIIIIIIIIIIIIIIII
			SSSSSSSSSSSSSSSSSSSSSSSSSSSSSS`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.ReplaceAll(strings.TrimSpace(c.want), "\t", "")
			if diff := cmp.Diff(want, sketch(layout(c.w, c.h, c.m))); diff != "" {
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
	}{{s.title, 'T'}, {s.nodes, 'N'}, {s.divider, '|'}, {s.detail, 'D'}, {s.notice, 'I'}, {s.status, 'S'}} {
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

// TestLayoutCovers checks at every size that the parts neither overlap nor leave
// a gap nor reach outside.
func TestLayoutCovers(t *testing.T) {
	for w := minWidth; w <= 220; w++ {
		for h := minHeight; h <= 60; h += 7 {
			for _, m := range []mode{{}, {detail: true}, {notice: true}, {detail: true, notice: true}} {
				s := layout(w, h, m)
				covered := 0
				for _, r := range []cells.Rect{s.title, s.nodes, s.divider, s.detail, s.notice, s.status} {
					if r.IsEmpty() {
						continue
					}
					covered += r.W * r.H
					if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
						t.Fatalf("%d×%d %+v: %+v is outside", w, h, m, r)
					}
				}
				if covered != w*h {
					t.Fatalf("%d×%d %+v: %d cells are covered, want %d", w, h, m, covered, w*h)
				}
				if strings.Contains(sketch(s), ".") {
					t.Fatalf("%d×%d %+v: there is a gap:\n%s", w, h, m, sketch(s))
				}
			}
		}
	}
}

func TestLayoutTooSmall(t *testing.T) {
	for _, size := range [][2]int{{minWidth - 1, 24}, {80, minHeight - 1}, {0, 0}} {
		if s := layout(size[0], size[1], mode{}); !s.tooSmall {
			t.Errorf("%v is not too small", size)
		}
	}
}

func TestCentred(t *testing.T) {
	outer := cells.Rect{X: 2, Y: 1, W: 20, H: 10}
	if got, want := outer.Centred(10, 4), (cells.Rect{X: 7, Y: 4, W: 10, H: 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := outer.Centred(100, 100); got != outer {
		t.Errorf("a larger box became %+v, want %+v", got, outer)
	}
}
