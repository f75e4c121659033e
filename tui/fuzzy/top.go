package fuzzy

import (
	"cmp"
	"slices"
)

// ranked is a text that matches.
type ranked struct {
	score  int
	length int32
	index  int32
}

// compare sorts better texts first. No two texts are equal in this order, so the result does not
// depend on which goroutine found them first.
func (r ranked) compare(o ranked) int {
	return cmp.Or(cmp.Compare(o.score, r.score), cmp.Compare(r.length, o.length), cmp.Compare(r.index, o.index))
}

// top keeps the best of many. It sorts only when its list has grown to twice the limit, so that
// adding costs next to nothing.
type top struct {
	limit int
	list  []ranked
	full  bool // limit texts are kept, and bar is the worst of them
	bar   ranked
}

func (t *top) add(r ranked) {
	if t.limit == 0 || t.full && t.bar.compare(r) < 0 {
		return
	}
	t.list = append(t.list, r)
	if len(t.list) >= 2*t.limit+64 {
		t.sorted()
	}
}

// sorted returns what is kept, the best first.
func (t *top) sorted() []ranked {
	slices.SortFunc(t.list, ranked.compare)
	if len(t.list) >= t.limit && t.limit > 0 {
		t.list = t.list[:t.limit]
		t.full, t.bar = true, t.list[t.limit-1]
	}
	return t.list
}
