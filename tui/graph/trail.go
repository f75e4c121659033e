package graph

import "lathe/graphops"

// Spot is a row in a certain place of the model.
type Spot struct {
	Place *graphops.Place
	Row   int
}

// Trail is the history of jumps, for going back and forward: the rows that were left, before and
// after the current one.
type Trail struct{ Behind, Ahead []Spot }

// Leave notes a spot before a jump away from it. It clears the spots ahead.
func (t *Trail) Leave(s Spot) {
	if n := len(t.Behind); n == 0 || t.Behind[n-1] != s {
		t.Behind = append(t.Behind, s)
	}
	t.Ahead = nil
}

// Back returns the row that was left last, and remembers s for forward.
func (t *Trail) Back(s Spot) (Spot, bool) { return step(&t.Behind, &t.Ahead, s) }

// Forward returns the row from which back came, and remembers s for back.
func (t *Trail) Forward(s Spot) (Spot, bool) { return step(&t.Ahead, &t.Behind, s) }

func step(from, to *[]Spot, at Spot) (Spot, bool) {
	n := len(*from)
	if n == 0 {
		return Spot{}, false
	}
	next := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, at)
	return next, true
}
