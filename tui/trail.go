package tui

import "lathe/graphops"

// spot is a row in a certain place of the model.
type spot struct {
	place *graphops.Place
	row   int
}

// trail is the history of jumps, for going back and forward: the rows that were left, before and
// after the current one.
type trail struct{ behind, ahead []spot }

// leave notes a spot before a jump away from it. It clears the spots ahead.
func (t *trail) leave(s spot) {
	if n := len(t.behind); n == 0 || t.behind[n-1] != s {
		t.behind = append(t.behind, s)
	}
	t.ahead = nil
}

// back returns the row that was left last, and remembers s for forward.
func (t *trail) back(s spot) (spot, bool) { return step(&t.behind, &t.ahead, s) }

// forward returns the row from which back came, and remembers s for back.
func (t *trail) forward(s spot) (spot, bool) { return step(&t.ahead, &t.behind, s) }

func step(from, to *[]spot, at spot) (spot, bool) {
	n := len(*from)
	if n == 0 {
		return spot{}, false
	}
	next := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, at)
	return next, true
}
