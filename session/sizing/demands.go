package sizing

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// looked is the largest size that is tested one by one to find out which sizes fit.
const looked = 2048

// sizeSet is a set of sizes from 1 to looked. It has one bit for each size.
type sizeSet [looked / 64]uint64

func (s *sizeSet) add(n int64)      { s[(n-1)/64] |= 1 << ((n - 1) % 64) }
func (s *sizeSet) has(n int64) bool { return s[(n-1)/64]>>((n-1)%64)&1 == 1 }

func (s *sizeSet) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// without returns the sizes from 1 to looked that are not in the set.
func (s *sizeSet) without() []int64 {
	var out []int64
	for n := int64(1); n <= looked; n++ {
		if !s.has(n) {
			out = append(out, n)
		}
	}
	return out
}

// isWithin reports whether the set is a subset of another one.
func (s *sizeSet) isWithin(other *sizeSet) bool {
	for i := range s {
		if s[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

// refusals are the sizes of a symbol at which conditions do not hold.
type refusals struct {
	sizeSet
	// limit is the largest size at which the conditions hold, if there is one. It may be beyond
	// looked. It is unlimited if there is none.
	limit int64
}

// join adds the sizes at which other conditions do not hold.
func (r *refusals) join(with refusals) {
	for i := range r.sizeSet {
		r.sizeSet[i] |= with.sizeSet[i]
	}
	r.limit = min(r.limit, with.limit)
}

// isWithin reports whether the other conditions exclude at least the same sizes.
func (r *refusals) isWithin(other *refusals) bool {
	return r.sizeSet.isWithin(&other.sizeSet) && r.limit >= other.limit
}

// allowed describes the sizes that are not excluded, such as "a multiple of 32".
func (r *refusals) allowed() string {
	said := rangeText(r.without())
	switch {
	case r.limit == unlimited || r.limit <= looked:
		return said
	case said == anySize:
		return fmt.Sprintf("at most %d", r.limit)
	}
	return fmt.Sprintf("%s, at most %d", said, r.limit)
}

// weighed is a condition on a symbol and the sizes that it excludes. alone is set if the condition
// has no other symbol. Otherwise the excluded sizes are not known.
type weighed struct {
	*Condition
	alone   bool
	refuses refusals
}

// demandsOn returns which sizes of a symbol fit if only conditions without other symbols are
// considered. It also returns all conditions on the symbol, in the order of rank. Among equals,
// those that exclude the most sizes come first.
func (s *System) demandsOn(ctx context.Context, i int, list []*Condition) (fits string, demands []Demand) {
	all := make([]weighed, 0, len(list))
	for _, c := range list {
		if ctx.Err() == nil {
			all = append(all, s.weigh(i, c))
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.refuses.len(), a.refuses.len()))
	})
	refused := refusals{limit: unlimited}
	demands = []Demand{}
	for _, w := range all {
		d := w.demand()
		if w.alone {
			d.Fits = w.refuses.allowed()
			d.Follows = w.refuses.isWithin(&refused)
		}
		if d.Sure {
			refused.join(w.refuses)
		}
		demands = append(demands, d)
	}
	slices.SortStableFunc(demands, func(a, b Demand) int { return cmp.Compare(a.rank(), b.rank()) })
	return refused.allowed(), demands
}

// rank determines the order of demands: lower ranks come first. First come certain demands, then
// those of nodes that may not run or of names and files, then those that follow from earlier ones,
// and last mere assumptions.
func (d Demand) rank() int {
	switch {
	case d.likely:
		return 3
	case d.Follows:
		return 2
	case !d.Sure:
		return 1
	}
	return 0
}

// weigh finds out which sizes of a symbol a condition excludes, by testing them.
func (s *System) weigh(i int, c *Condition) weighed {
	w := weighed{Condition: c, alone: len(c.symbols) == 1, refuses: refusals{limit: unlimited}}
	if !w.alone {
		return w
	}
	sizes := make([]int64, len(s.Symbols))
	for n := int64(1); n <= looked; n++ {
		if sizes[i] = n; !c.holds(sizes) {
			w.refuses.add(n)
		}
	}
	w.refuses.limit = c.limit(i, sizes)
	return w
}
