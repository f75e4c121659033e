package tui

// trail is where a person has been: rows that were jumped away from.
type trail struct{ behind, ahead []int }

// leave notes a row before a jump away from it. What lay ahead is forgotten.
func (t *trail) leave(row int) {
	if n := len(t.behind); n == 0 || t.behind[n-1] != row {
		t.behind = append(t.behind, row)
	}
	t.ahead = nil
}

// back is the row before this one.
func (t *trail) back(row int) (int, bool) { return step(&t.behind, &t.ahead, row) }

// forward is the row that back was left for.
func (t *trail) forward(row int) (int, bool) { return step(&t.ahead, &t.behind, row) }

func step(from, to *[]int, row int) (int, bool) {
	n := len(*from)
	if n == 0 {
		return 0, false
	}
	next := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, row)
	return next, true
}
