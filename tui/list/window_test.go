package list

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name string
		n, h int
		acts []Motion
		want [2]int // top, cursor
	}{
		{"down stays", 100, 10, []Motion{Down, Down}, [2]int{0, 2}},
		{"at the edge five sixths", 100, 10, repeatMotion(Down, 10), [2]int{8, 10}},
		{"and back", 100, 10, append(repeatMotion(Down, 20), repeatMotion(Up, 7)...), [2]int{8, 13}},
		{"and back past the edge", 100, 10, append(repeatMotion(Down, 20), repeatMotion(Up, 13)...), [2]int{0, 7}},
		{"last", 100, 10, []Motion{Bottom}, [2]int{90, 99}},
		{"first again", 100, 10, []Motion{Bottom, Top}, [2]int{0, 0}},
		{"half a page", 100, 10, []Motion{HalfDown}, [2]int{5, 5}},
		{"pages", 100, 10, []Motion{PageDown, PageDown, PageUp}, [2]int{9, 9}},
		{"past the end", 12, 10, []Motion{PageDown, PageDown, PageDown}, [2]int{2, 11}},
		{"past the start", 12, 10, []Motion{PageUp, Up}, [2]int{0, 0}},
		{"shorter than the window", 3, 10, []Motion{Down, Down, Down, PageDown}, [2]int{0, 2}},
		{"empty", 0, 10, []Motion{Down, Bottom, PageUp}, [2]int{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := Window{N: c.n, Height: c.h}
			for _, a := range c.acts {
				if !w.Act(a) {
					t.Fatalf("%s is no movement", a)
				}
			}
			if diff := cmp.Diff(c.want, [2]int{w.Top, w.Cursor}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func repeatMotion(a Motion, n int) []Motion {
	out := make([]Motion, n)
	for i := range out {
		out[i] = a
	}
	return out
}

// TestWindowAlwaysShowsTheCursor moves and resizes at random.
func TestWindowAlwaysShowsTheCursor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	moves := []Motion{Down, Up, Top, Bottom, HalfDown, HalfUp, PageDown, PageUp}
	for range 200 {
		w := Window{N: rng.IntN(60), Height: 1 + rng.IntN(20)}
		for range 200 {
			switch rng.IntN(12) {
			case 0:
				w.Resize(1 + rng.IntN(20))
			case 1:
				w.Centre(rng.IntN(80) - 10)
			case 2:
				w.Reset(rng.IntN(60), rng.IntN(60))
			default:
				w.Act(moves[rng.IntN(len(moves))])
			}
			from, to := w.Visible()
			if w.N > 0 && (w.Cursor < from || w.Cursor >= to) || to-from > w.Height || from < 0 || to > w.N {
				t.Fatalf("%+v shows %d to %d", w, from, to)
			}
		}
	}
}

func TestScroll(t *testing.T) {
	s := Scroll{}
	s.Resize(30, 10)
	for _, c := range []struct {
		act  Motion
		want int
	}{
		{Down, 1},
		{HalfDown, 6},
		{PageDown, 15},
		{Bottom, 20},
		{Down, 20},
		{PageUp, 11},
		{HalfUp, 6},
		{Up, 5},
		{Top, 0},
		{Up, 0},
	} {
		if !s.Act(c.act) || s.Top != c.want {
			t.Errorf("%s: the top is %d, want %d", c.act, s.Top, c.want)
		}
	}
	if got, want := s.More(), "1–10 of 30"; got != want {
		t.Errorf("more is %q, want %q", got, want)
	}
	s.Resize(5, 10)
	if got := s.More(); got != "" {
		t.Errorf("more is %q where everything shows", got)
	}
}
