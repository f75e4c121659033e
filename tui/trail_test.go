package tui

import "testing"

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
