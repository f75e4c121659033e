package shape

import (
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// top is an upper bound of indices that are counted up, such as the positions of a sequence. A
// table that they index needs one more row than the largest index.
type top struct {
	last dim.Dim
	// certain is set if an element is always that large. Otherwise no element is larger, for
	// example because a mask decides what is counted.
	certain bool
}

// counts maps operators whose result has a top to the functions that find it.
var counts = map[string]func(c *call) *top{
	"Range": countedUp, "CumSum": countedOn,
	"Add": shifted(dim.Dim.Add), "Sub": shifted(dim.Dim.Sub), "Mul": masked, "Min": shifted(dim.Dim.Min), "Max": shifted(dim.Dim.Max), "Clip": clippedTop, "Where": eitherTop, "Concat": eitherTop,
	"Slice": slicedTop, "Cast": firstTop, "CastLike": firstTop, "Identity": firstTop, "Reshape": firstTop, "Squeeze": firstTop, "Unsqueeze": firstTop,
	"Flatten": firstTop, "Transpose": firstTop, "Expand": firstTop, "Tile": firstTop,
}

// counted returns the top of the node's first output, or nil if its elements are not counted up.
func (c *call) counted() *top {
	op := c.node.OpType()
	if op != "Range" && op != "CumSum" && !slices.ContainsFunc(c.in, func(v *Value) bool { return v != nil && v.top != nil }) {
		return nil
	}
	find, ok := counts[op]
	if !ok {
		return nil
	}
	t := find(c)
	if t == nil || !t.last.Known() {
		return nil
	}
	return t
}

// countedUp returns the top of a Range with steps of at least 1.
func countedUp(c *call) *top {
	step, ok := c.single(2).Number()
	if !ok || step < 1 || len(c.out[0].Dims) != 1 {
		return nil
	}
	n := c.out[0].Dims[0].Sub(dim.Number(1))
	return &top{c.single(0).Add(n.Mul(dim.Number(step))), true}
}

// countedOn returns the top of the sums of a CumSum over a mask: they count the elements that are
// not masked. Sums of other tensors are not used as positions.
func countedOn(c *call) *top {
	d := c.dims(0)
	list, ok := c.ints(1)
	if !ok || len(list) != 1 || len(d) == 0 || c.out[0].Elem.Kind() == tensor.KindFloat {
		return nil
	}
	axis := list[0]
	if axis < 0 {
		axis += int64(len(d))
	}
	if axis < 0 || axis >= int64(len(d)) {
		return nil
	}
	return &top{d[axis], false}
}

func firstTop(c *call) *top { return c.input(0).top }

// shifted returns the top of counted elements combined with one number.
func shifted(f func(last, by dim.Dim) dim.Dim) func(c *call) *top {
	return func(c *call) *top {
		if t := c.input(0).top; t != nil && c.single(1).Known() {
			return &top{f(t.last, c.single(1)), t.certain}
		}
		if t := c.input(1).top; t != nil && c.single(0).Known() && !c.node.Is("Sub") {
			return &top{f(t.last, c.single(0)), t.certain}
		}
		return nil
	}
}

// clippedTop returns the top of counted elements that are limited by a number.
func clippedTop(c *call) *top {
	if t := c.input(0).top; t != nil && c.single(2).Known() {
		return &top{t.last.Min(c.single(2)), t.certain}
	}
	return nil
}

// masked returns the top of counted elements of which some may become 0.
func masked(c *call) *top {
	for i := range 2 {
		if t := c.input(i).top; t != nil && c.input(1-i).top == nil {
			return &top{t.last, false}
		}
	}
	return nil
}

// eitherTop returns the top of counted elements among others.
func eitherTop(c *call) *top {
	var out *top
	for i := range c.in {
		if t := c.input(i).top; t != nil {
			if out == nil {
				out = &top{t.last, c.node.Is("Concat") && t.certain}
			} else {
				out = &top{out.last.Max(t.last), out.certain && t.certain}
			}
		}
	}
	return out
}

// slicedTop returns the top of a part of counted elements.
func slicedTop(c *call) *top {
	t, d := c.input(0).top, c.dims(0)
	out := c.out[0].Dims
	switch {
	case t == nil || len(d) == 0 || len(out) != len(d):
		return nil
	case slices.EqualFunc(d, out, dim.Dim.Equal):
		return t
	default:
		return &top{t.last, false}
	}
}

// indexes demands that indices are within an axis: constants, numbers computed from sizes, and
// counted elements.
func (c *call) indexes(i int, axis Source) {
	if t := c.input(i).top; t != nil {
		c.rowsFor(t, axis)
	}
	c.reached(c.elems(i), axis)
}

// rowsFor demands that an axis has an element for each counted index.
func (c *call) rowsFor(t *top, axis Source) {
	note := func() { c.atLeast(axis, t.last.Add(dim.Number(1)), rowsThere) }
	if t.certain {
		note()
		return
	}
	c.tolerate(note)
}

// indexesAll demands that the rows of the second input are indices within axes of the first, one
// for each element of a row.
func (c *call) indexesAll(axes []dim.Dim) {
	elems := c.elems(1)
	for k, n := range axes {
		var column []elem
		for at := k; at < len(elems); at += len(axes) {
			column = append(column, elems[at])
		}
		c.reached(column, Source{n, 0, -1})
	}
}

// reached demands that an axis is long enough for indices. Negative ones count from its end.
func (c *call) reached(elems []elem, axis Source) {
	if _, number := axis.Size.Number(); number && !slices.ContainsFunc(elems, elem.symbolic) {
		return
	}
	most, least := int64(-1), int64(0)
	for _, e := range elems {
		n, ok := e.int()
		lo, _ := e.size().Bounds()
		switch {
		case ok:
			most, least = max(most, n), min(least, n)
		case lo >= 0:
			c.atLeast(axis, e.size().Add(dim.Number(1)), rowsThere)
		}
	}
	c.atLeast(axis, dim.Number(most).Add(dim.Number(1)).Max(dim.Number(least).Neg()), rowsThere)
}

func (e elem) symbolic() bool {
	_, number := e.number()
	return !number && e.size().Known()
}
