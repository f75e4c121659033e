package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// trySizes are the sizes with which symbols are tried to see whether two expressions are equal.
// They include sizes that suit strides, patches and tables of positions.
var trySizes = []int64{2, 3, 7, 16, 64, 96, 224, 640, 1, 1024}

// possible has what is known about the sizes of a model's symbols with which its nodes can run.
type possible struct {
	solved map[string]dim.Dim // symbols that are determined by other sizes
	sizes  []map[string]int64
}

// differ reports whether two expressions have different values at some of the possible sizes.
func (s *possible) differ(a, b dim.Dim) bool {
	if !a.Known() || !b.Known() || a.Equal(b) {
		return false
	}
	a, b = s.settled(a), s.settled(b)
	return slices.ContainsFunc(s.sizes, func(sizes map[string]int64) bool {
		x, y, ok := evaluate(a, b, sizes)
		return ok && x != y
	})
}

func (s *possible) settled(d dim.Dim) dim.Dim {
	return d.Subst(func(name string) (dim.Dim, bool) {
		to, ok := s.solved[name]
		return to, ok
	})
}

func evaluate(a, b dim.Dim, sizes map[string]int64) (x, y int64, ok bool) {
	size := func(name string) (int64, bool) {
		n, ok := sizes[name]
		return n, ok
	}
	x, err := a.Eval(size)
	y, err2 := b.Eval(size)
	return x, y, err == nil && err2 == nil
}

// condition is a demand on symbols that are not determined.
type condition struct {
	a, b     dim.Dim
	relation Relation
}

// findPossible solves the demands of nodes that always run for one symbol each, if possible, and
// excludes sizes that do not satisfy the other demands.
func (r *Result) findPossible() *possible {
	s := &possible{solved: map[string]dim.Dim{}}
	left := map[string]condition{} // similar layers have the same demands
	for _, d := range r.Demands {
		// a body may not run
		if d.Place.Kind != graphops.BodyGraph && (d.Relation != Equals || !s.solve(d.A.Size, d.B.Size)) {
			left[fmt.Sprint(d.A.Size, d.Relation, d.B.Size)] = condition{d.A.Size, d.B.Size, d.Relation}
		}
	}
	conditions := make([]condition, 0, len(left))
	for _, e := range left {
		conditions = append(conditions, condition{s.settled(e.a), s.settled(e.b), e.relation})
	}
	for round := range trySizes {
		for step := range 2 { // all symbols equal, and all different
			if sizes := r.trial(round, step); s.meets(conditions, sizes) {
				s.sizes = append(s.sizes, sizes)
			}
		}
	}
	return s
}

// trial assigns a size to every symbol of the inputs.
func (r *Result) trial(round, step int) map[string]int64 {
	sizes := make(map[string]int64, len(r.symbols))
	for name, i := range r.symbols {
		sizes[name] = trySizes[(round+step*i)%len(trySizes)]
	}
	return sizes
}

// maxSolved is the maximum number of solved symbols, as each is substituted into all others.
const maxSolved = 256

// solve solves an equation if one side is a symbol that the other side does not contain. It reports
// whether the equation needs no further check: it was solved, or both sides are equal.
func (s *possible) solve(a, b dim.Dim) bool {
	a, b = s.settled(a), s.settled(b)
	for _, side := range [][2]dim.Dim{{a, b}, {b, a}} {
		name, ok := side[0].IsSymbol()
		if !ok || !side[1].Known() || holds(side[1], name) || len(s.solved) >= maxSolved {
			continue
		}
		s.solved[name] = side[1]
		for other, is := range s.solved {
			s.solved[other] = s.settled(is)
		}
		return true
	}
	return a.Equal(b)
}

func holds(d dim.Dim, symbol string) (is bool) {
	d.Symbols(func(name string) { is = is || name == symbol })
	return is
}

// meets reports whether all conditions hold at the given sizes.
func (s *possible) meets(conditions []condition, sizes map[string]int64) bool {
	for _, to := range s.solved {
		if n, _, ok := evaluate(to, to, sizes); ok && n < 1 {
			return false
		}
	}
	return !slices.ContainsFunc(conditions, func(e condition) bool {
		x, y, ok := evaluate(e.a, e.b, sizes)
		return ok && !e.relation.Holds(x, y)
	})
}
