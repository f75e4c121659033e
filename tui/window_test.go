package tui

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name string
		n, h int
		acts []action
		want [2]int // top, cursor
	}{
		{"down stays", 100, 10, []action{actionDown, actionDown}, [2]int{0, 2}},
		{"at the edge half a page", 100, 10, repeatAction(actionDown, 10), [2]int{5, 10}},
		{"and back", 100, 10, append(repeatAction(actionDown, 20), repeatAction(actionUp, 11)...), [2]int{5, 9}},
		{"last", 100, 10, []action{actionBottom}, [2]int{90, 99}},
		{"first again", 100, 10, []action{actionBottom, actionTop}, [2]int{0, 0}},
		{"half a page", 100, 10, []action{actionHalfDown}, [2]int{5, 5}},
		{"pages", 100, 10, []action{actionPageDown, actionPageDown, actionPageUp}, [2]int{9, 9}},
		{"past the end", 12, 10, []action{actionPageDown, actionPageDown, actionPageDown}, [2]int{2, 11}},
		{"past the start", 12, 10, []action{actionPageUp, actionUp}, [2]int{0, 0}},
		{"shorter than the window", 3, 10, []action{actionDown, actionDown, actionDown, actionPageDown}, [2]int{0, 2}},
		{"empty", 0, 10, []action{actionDown, actionBottom, actionPageUp}, [2]int{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := window{n: c.n, height: c.h}
			for _, a := range c.acts {
				if !w.act(a) {
					t.Fatalf("%s is no movement", a)
				}
			}
			if diff := cmp.Diff(c.want, [2]int{w.top, w.cursor}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func repeatAction(a action, n int) []action {
	out := make([]action, n)
	for i := range out {
		out[i] = a
	}
	return out
}

// TestWindowAlwaysShowsTheCursor moves and resizes at random.
func TestWindowAlwaysShowsTheCursor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	moves := []action{actionDown, actionUp, actionTop, actionBottom, actionHalfDown, actionHalfUp, actionPageDown, actionPageUp}
	for range 200 {
		w := window{n: rng.IntN(60), height: 1 + rng.IntN(20)}
		for range 200 {
			switch rng.IntN(12) {
			case 0:
				w.resize(1 + rng.IntN(20))
			case 1:
				w.centre(rng.IntN(80) - 10)
			case 2:
				w.reset(rng.IntN(60), rng.IntN(60))
			default:
				w.act(moves[rng.IntN(len(moves))])
			}
			from, to := w.visible()
			if w.n > 0 && (w.cursor < from || w.cursor >= to) || to-from > w.height || from < 0 || to > w.n {
				t.Fatalf("%+v shows %d to %d", w, from, to)
			}
		}
	}
}

func TestScroll(t *testing.T) {
	s := scroll{}
	s.resize(30, 10)
	for _, c := range []struct {
		act  action
		want int
	}{
		{actionDown, 1},
		{actionHalfDown, 6},
		{actionPageDown, 15},
		{actionBottom, 20},
		{actionDown, 20},
		{actionPageUp, 11},
		{actionHalfUp, 6},
		{actionUp, 5},
		{actionTop, 0},
		{actionUp, 0},
	} {
		if !s.act(c.act) || s.top != c.want {
			t.Errorf("%s: the top is %d, want %d", c.act, s.top, c.want)
		}
	}
	if got, want := s.more(), "1–10 of 30"; got != want {
		t.Errorf("more is %q, want %q", got, want)
	}
	s.resize(5, 10)
	if got := s.more(); got != "" {
		t.Errorf("more is %q where everything shows", got)
	}
}

func TestTrail(t *testing.T) {
	var tr trail
	tr.leave(1)
	tr.leave(5)
	tr.leave(5)
	for _, c := range []struct {
		move func(int) (int, bool)
		at   int
		want int
		ok   bool
	}{
		{tr.back, 9, 5, true},
		{tr.back, 5, 1, true},
		{tr.back, 1, 0, false},
		{tr.forward, 1, 5, true},
		{tr.forward, 5, 9, true},
		{tr.forward, 9, 0, false},
		{tr.back, 9, 5, true},
	} {
		if got, ok := c.move(c.at); got != c.want || ok != c.ok {
			t.Errorf("from %d: got %d %v, want %d %v", c.at, got, ok, c.want, c.ok)
		}
	}
	tr.leave(7)
	if _, ok := tr.forward(0); ok {
		t.Error("a jump did not forget what lay ahead")
	}
}
