package sizing

import (
	"slices"

	"lathe/graphops/shape"
)

// Limits of the solver. They limit steps and not time, so that the result is the same on every
// machine.
const (
	maxSteps      = 400_000 // evaluations of constraints
	maxSpan       = 4_096   // how many sizes on each side of the preferred one are tested one by one
	maxCandidates = 24      // fitting sizes that are tried on each side of the preferred size
	maxSize       = 1 << 24 // the largest size that is tried
	apartUpTo     = 256     // larger sizes are not made different, because such inputs would be too large
)

// constraint is a relation that the sizes must satisfy. It can be evaluated when all of its symbols
// have a size.
type constraint interface {
	of() []int // positions of its symbols
	holds(sizes []int64) bool
}

func (c *Condition) of() []int { return c.symbols }

// refusedSizes are sizes of some symbols at which the model did not run. As a constraint, it
// excludes this combination.
type refusedSizes struct {
	symbols []int
	sizes   []int64
}

func (r refusedSizes) of() []int { return r.symbols }

func (r refusedSizes) holds(sizes []int64) bool {
	for i, s := range r.symbols {
		if sizes[s] != r.sizes[i] {
			return true
		}
	}
	return false
}

// target is the preferred size of a symbol, and the smallest size that it may get.
type target struct {
	size, least int64
	fixed       bool // no other size is tried
	stated      bool // it need not differ from the sizes of other symbols
}

// solver finds a size for every symbol by backtracking. It tries sizes near the targets first.
type solver struct {
	targets     []target
	order       []int // of symbols; one that an equation determines is set earlier
	constraints []constraint
	apart       bool // prefer sizes that differ from each other
	sizes       []int64
	set         []bool
	taken       [apartUpTo + 1]int // how many symbols have each small size
	open        *open
	steps       int
}

// solve sets the sizes. It returns false if it found none that satisfy all constraints.
func (v *solver) solve() bool {
	v.sizes, v.set = make([]int64, len(v.targets)), make([]bool, len(v.targets))
	v.open = newOpen(v.constraints, len(v.targets))
	for i, t := range v.targets {
		if t.fixed {
			v.sizes[i], v.set[i] = t.size, true
			v.take(t.size, 1)
			v.open.set(i)
		}
	}
	for i, c := range v.constraints {
		if v.open.left[i] == 0 && !c.holds(v.sizes) {
			return false
		}
	}
	return v.next(0)
}

// next sets the next symbol and then, recursively, all others. Symbols before place in the order
// already have a size.
func (v *solver) next(place int) bool {
	i, place := v.choose(place)
	if i < 0 {
		return true
	}
	ready := v.open.decided(i)
	v.steps += 1 + len(v.open.of[i])
	v.set[i] = true
	v.open.set(i)
	for _, n := range v.candidates(i, ready) {
		v.sizes[i] = n
		v.take(n, 1)
		if v.next(place) {
			return true
		}
		v.take(n, -1)
		if v.steps > maxSteps {
			break
		}
	}
	v.set[i] = false
	v.open.unset(i)
	return false
}

// choose returns the symbol to set next, and its place in the order. A symbol that an equation
// determines comes first. It returns -1 if all symbols have a size.
func (v *solver) choose(place int) (symbol, at int) {
	if c := v.open.forced(); c != nil {
		for _, s := range c.of() {
			if !v.set[s] {
				return s, place
			}
		}
	}
	for ; place < len(v.order); place++ {
		if i := v.order[place]; !v.set[i] {
			return i, place
		}
	}
	return -1, place
}

// candidates returns sizes of a symbol that satisfy the constraints in ready, the preferred ones
// first. In these constraints, all other symbols have a size.
func (v *solver) candidates(i int, ready []constraint) []int64 {
	t := v.targets[i]
	fits := func(n int64) bool {
		v.sizes[i] = n
		for k, c := range ready {
			if v.steps++; !c.holds(v.sizes) {
				ready[0], ready[k] = c, ready[0] // the next size most likely fails here, too
				return false
			}
		}
		return true
	}
	out := walk(max(t.size, t.least), maxSize, 1, fits)
	out = append(out, walk(min(t.size-1, maxSize), t.least, -1, fits)...)
	if len(out) == 0 {
		for _, start := range v.far(i, ready) {
			out = append(out, walk(start, maxSize, 1, fits)...)
		}
	}
	if v.apart && !t.stated {
		v.preferOthers(out)
	}
	return out
}

// walk tests sizes one by one and returns those that fit, up to the limits of the solver.
func walk(from, to, step int64, fits func(int64) bool) []int64 {
	var out []int64
	for n, left := from, maxSpan; left > 0 && (to-n)*step >= 0 && len(out) < maxCandidates; n, left = n+step, left-1 {
		if fits(n) {
			out = append(out, n)
		}
	}
	return out
}

// far returns sizes beyond those that are tested one by one. An equation that is linear in the
// symbol is solved. For any other constraint, a binary search finds where it begins to hold.
func (v *solver) far(i int, ready []constraint) []int64 {
	var out []int64
	at := func(c constraint, n int64) bool {
		v.sizes[i] = n
		v.steps++
		return c.holds(v.sizes)
	}
	start := int64(0)
	for _, c := range ready {
		if e, ok := c.(*Condition); ok && e.Relation == shape.Equals {
			if n, ok := v.root(i, e); ok {
				out = append(out, n)
			}
			continue
		}
		lo, hi := v.targets[i].size, max(2*v.targets[i].size, 1)
		for hi < maxSize && !at(c, hi) {
			lo, hi = hi, 2*hi
		}
		for hi-lo > 1 {
			if mid := lo + (hi-lo)/2; at(c, mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		start = max(start, hi)
	}
	return append(out, start)
}

// root returns the size that satisfies an equation that is linear in a symbol.
func (v *solver) root(i int, e *Condition) (int64, bool) {
	off := func(n int64) (int64, bool) {
		v.sizes[i] = n
		a, okA := e.a.At(v.sizes)
		b, okB := e.b.At(v.sizes)
		return a - b, okA && okB
	}
	one, ok := off(1)
	two, okToo := off(2)
	slope := two - one
	if !ok || !okToo || slope == 0 || one%slope != 0 {
		return 0, false
	}
	n := 1 - one/slope
	return n, n >= v.targets[i].least && n <= maxSize
}

// take counts a symbol that has a size, or with -1 no longer has it.
func (v *solver) take(size int64, by int) {
	if size >= 0 && size <= apartUpTo {
		v.taken[size] += by
	}
}

// preferOthers moves the first small size that no other symbol has to the front.
func (v *solver) preferOthers(sizes []int64) {
	free := slices.IndexFunc(sizes, func(n int64) bool { return n <= apartUpTo && v.taken[n] == 0 })
	if free > 0 {
		n := sizes[free]
		copy(sizes[1:], sizes[:free])
		sizes[0] = n
	}
}
