package graph

import (
	"testing"
)

func TestTrail(t *testing.T) {
	var tr Trail
	at := func(row int) Spot { return Spot{Place: nil, Row: row} }
	tr.Leave(at(1))
	tr.Leave(at(5))
	tr.Leave(at(5))
	for _, c := range []struct {
		move func(Spot) (Spot, bool)
		at   int
		want int
		ok   bool
	}{
		{tr.Back, 9, 5, true},
		{tr.Back, 5, 1, true},
		{tr.Back, 1, 0, false},
		{tr.Forward, 1, 5, true},
		{tr.Forward, 5, 9, true},
		{tr.Forward, 9, 0, false},
		{tr.Back, 9, 5, true},
	} {
		if got, ok := c.move(at(c.at)); got != at(c.want) || ok != c.ok {
			t.Errorf("from %d: got %v %v, want %d %v", c.at, got, ok, c.want, c.ok)
		}
	}
	tr.Leave(at(7))
	if _, ok := tr.Forward(at(0)); ok {
		t.Error("a jump did not forget what lay ahead")
	}
}
