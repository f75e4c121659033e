package sizing

import (
	"container/heap"

	"lathe/graphops/shape"
)

// open counts, for each constraint, the symbols that have no size yet. With these counts, a step of
// the solver only looks at the constraints of one symbol and not at all constraints.
type open struct {
	constraints []constraint
	of          [][]int32 // the constraints of each symbol, by position
	left        []int32   // for each constraint, the number of its symbols that have no size
	// forcing is a heap of equations in which only one symbol has no size, so that they determine
	// it. The counts may have changed since an equation was added. It is then removed when it is
	// reached.
	forcing positions
}

func newOpen(constraints []constraint, symbols int) *open {
	o := &open{constraints: constraints, of: make([][]int32, symbols), left: make([]int32, len(constraints))}
	for i, c := range constraints {
		for _, s := range c.of() {
			o.of[s] = append(o.of[s], int32(i))
		}
		o.left[i] = int32(len(c.of()))
		o.note(int32(i))
	}
	return o
}

// set records that a symbol now has a size.
func (o *open) set(symbol int) { o.change(symbol, -1) }

// unset records that a symbol no longer has a size.
func (o *open) unset(symbol int) { o.change(symbol, 1) }

func (o *open) change(symbol int, by int32) {
	for _, c := range o.of[symbol] {
		o.left[c] += by
		o.note(c)
	}
}

// note adds a constraint to forcing if it is an equation in which only one symbol has no size.
func (o *open) note(c int32) {
	if o.left[c] != 1 {
		return
	}
	if e, ok := o.constraints[c].(*Condition); ok && e.Relation == shape.Equals {
		heap.Push(&o.forcing, c)
	}
}

// forced returns the first equation that determines the size of a symbol, or nil if there is none.
func (o *open) forced() constraint {
	for len(o.forcing) > 0 {
		if c := o.forcing[0]; o.left[c] == 1 {
			return o.constraints[c]
		}
		heap.Pop(&o.forcing)
	}
	return nil
}

// decided returns the constraints in which this is the only symbol without a size. Whether they
// hold depends only on the size that it gets.
func (o *open) decided(symbol int) []constraint {
	var out []constraint
	for _, c := range o.of[symbol] {
		if o.left[c] == 1 {
			out = append(out, o.constraints[c])
		}
	}
	return out
}

// positions is a heap of positions of constraints. The smallest comes first.
type positions []int32

func (p positions) Len() int           { return len(p) }
func (p positions) Less(i, k int) bool { return p[i] < p[k] }
func (p positions) Swap(i, k int)      { p[i], p[k] = p[k], p[i] }
func (p *positions) Push(x any)        { *p = append(*p, x.(int32)) }

func (p *positions) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
