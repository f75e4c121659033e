package sizing

import (
	"container/heap"

	"lathe/graphops/shape"
)

// open keeps how many symbols of each constraint have no size, so that a step of the
// solver looks at the constraints of one symbol and not at all of them.
type open struct {
	constraints []constraint
	of          [][]int32 // the constraints of each symbol, by position
	left        []int32   // the symbols of each constraint that have no size
	// forcing are equations that had one such symbol when they were added. Those that
	// have another number by now are dropped when they are met.
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

// set notes that a symbol has a size.
func (o *open) set(symbol int) { o.change(symbol, -1) }

// unset notes that it has none.
func (o *open) unset(symbol int) { o.change(symbol, 1) }

func (o *open) change(symbol int, by int32) {
	for _, c := range o.of[symbol] {
		o.left[c] += by
		o.note(c)
	}
}

// note remembers an equation that leaves one symbol no choice.
func (o *open) note(c int32) {
	if o.left[c] != 1 {
		return
	}
	if e, ok := o.constraints[c].(*Condition); ok && e.Relation == shape.Equals {
		heap.Push(&o.forcing, c)
	}
}

// forced is the first equation that leaves one symbol no choice; nil where none does.
func (o *open) forced() constraint {
	for len(o.forcing) > 0 {
		if c := o.forcing[0]; o.left[c] == 1 {
			return o.constraints[c]
		}
		heap.Pop(&o.forcing)
	}
	return nil
}

// decided are the constraints that a size of the symbol decides.
func (o *open) decided(symbol int) []constraint {
	var out []constraint
	for _, c := range o.of[symbol] {
		if o.left[c] == 1 {
			out = append(out, o.constraints[c])
		}
	}
	return out
}

// positions is a heap of positions, the smallest first.
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
