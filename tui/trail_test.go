package tui

import "testing"

func TestTrail(t *testing.T) {
	var tr trail
	at := func(row int) spot { return spot{nil, row} }
	tr.leave(at(1))
	tr.leave(at(5))
	tr.leave(at(5))
	for _, c := range []struct {
		move func(spot) (spot, bool)
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
		if got, ok := c.move(at(c.at)); got != at(c.want) || ok != c.ok {
			t.Errorf("from %d: got %v %v, want %d %v", c.at, got, ok, c.want, c.ok)
		}
	}
	tr.leave(at(7))
	if _, ok := tr.forward(at(0)); ok {
		t.Error("a jump did not forget what lay ahead")
	}
}
