package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// trySizes are sizes that symbols are given to see whether two expressions are equal.
// Among them are those that strides, patches and tables of positions ask for.
var trySizes = []int64{2, 3, 7, 16, 64, 96, 224, 640, 1, 1024}

// possible are sizes of a model's symbols at which its nodes go together, as far as
// that is known.
type possible struct {
	solved map[string]dim.Dim // symbols that other sizes determine
	sizes  []map[string]int64
}

// differ reports whether two expressions have different sizes somewhere.
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

// condition is a demand in symbols that nothing determines.
type condition struct {
	a, b     dim.Dim
	relation Relation
}

// findPossible solves the demands of nodes that run in every run for a symbol each where
// that can be done, and leaves out sizes that do not meet the others.
func (r *Result) findPossible() *possible {
	s := &possible{solved: map[string]dim.Dim{}}
	left := map[string]condition{} // alike layers demand the same
	for _, d := range r.Demands {
		if d.Place.Kind != graphops.BodyGraph && (d.Relation != Equals || !s.solve(d.A.Size, d.B.Size)) { // a body may not run
			left[fmt.Sprint(d.A.Size, d.Relation, d.B.Size)] = condition{d.A.Size, d.B.Size, d.Relation}
		}
	}
	conditions := make([]condition, 0, len(left))
	for _, e := range left {
		conditions = append(conditions, condition{s.settled(e.a), s.settled(e.b), e.relation})
	}
	for round := range trySizes {
		for step := range 2 { // all symbols alike, and each another one
			if sizes := r.trial(round, step); s.meets(conditions, sizes) {
				s.sizes = append(s.sizes, sizes)
			}
		}
	}
	return s
}

// trial gives every symbol of the inputs a size.
func (r *Result) trial(round, step int) map[string]int64 {
	sizes := make(map[string]int64, len(r.symbols))
	for name, i := range r.symbols {
		sizes[name] = trySizes[(round+step*i)%len(trySizes)]
	}
	return sizes
}

// maxSolved bounds the symbols that are solved for, each of which is looked for in all
// others.
const maxSolved = 256

// solve takes an equation whose one side is a symbol of which the other is free, and
// reports whether the condition then says nothing more.
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

// meets reports whether the nodes go together at some sizes.
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
