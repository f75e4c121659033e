package shape

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/dim"
)

// parts has the rules of operators that take a part of a tensor by position, or add elements around
// it.
var parts = family{"Slice": slice, "Pad": pad, "CenterCropPad": centerCropPad}

// cut is a range of one axis.
type cut struct {
	axis       int
	start, end dim.Dim
	step       int64 // 0 if unknown
}

func slice(c *call) {
	for list := 2; list <= 4; list++ {
		c.lists(list, c.extent(1, 0))
	}
	d := c.dims(0)
	if d == nil {
		return
	}
	cuts, ok := c.cuts(len(d))
	if !ok {
		c.outDims(0, unknownDims(len(d)))
		return
	}
	out := slices.Clone(d)
	for _, x := range cuts {
		out[x.axis] = x.length(d[x.axis])
		if c.elems(0) == nil {
			c.filled(out[x.axis])
		}
	}
	c.outDims(0, out)
	c.sliceElements(cuts)
}

// cuts returns the ranges of a Slice. ok is false if the axes are unknown.
func (c *call) cuts(rank int) (out []cut, ok bool) {
	starts, ends, steps, axes, ok := c.sliceInputs()
	if !ok {
		return nil, false
	}
	if axes == nil {
		for i := range starts {
			axes = append(axes, int64(i))
		}
	}
	at, ok := c.axes(axes, rank)
	if !ok || !c.asMany("ends", len(ends), len(starts)) || !c.asMany("axes", len(at), len(starts)) ||
		steps != nil && !c.asMany("steps", len(steps), len(starts)) {
		return nil, false
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(at))); len(distinct) < len(at) {
		c.problem(-1, fmt.Sprintf("the axes %s contain an axis twice", brief(axes)))
		return nil, false
	}
	for i, a := range at {
		x := cut{axis: a, start: starts[i], end: ends[i], step: 1}
		if steps != nil {
			x.step, _ = steps[i].Number()
			if n, ok := steps[i].Number(); ok && n == 0 {
				c.problem(4, "a step is 0")
			}
		}
		out = append(out, x)
	}
	return out, true
}

// asMany requires that a list has one element for each start.
func (c *call) asMany(list string, n, starts int) bool {
	if n != starts {
		c.problem(-1, fmt.Sprintf("there are %d %s, but %d starts", n, list, starts))
	}
	return n == starts
}

func (c *call) sliceInputs() (starts, ends, steps []dim.Dim, axes []int64, ok bool) {
	if c.since < 10 {
		from, okFrom := c.attrInts("starts")
		to, okTo := c.attrInts("ends")
		axes, _ = c.attrInts("axes")
		return numbers(from...), numbers(to...), nil, axes, okFrom && okTo
	}
	for i := 1; i < 5; i++ {
		if c.dims(i) != nil && c.rankIn(i, 1) == nil {
			return nil, nil, nil, nil, false
		}
	}
	starts, ends = c.positions(1), c.positions(2)
	if c.has(3) {
		if axes, ok = c.ints(3); !ok {
			return nil, nil, nil, nil, false
		}
	}
	if c.has(4) {
		if steps = c.positions(4); steps == nil {
			return nil, nil, nil, nil, false
		}
	}
	return starts, ends, steps, axes, starts != nil && ends != nil
}

// length returns how many elements of an axis of size n are in the range.
func (x cut) length(n dim.Dim) dim.Dim {
	switch {
	case n.Is(0):
		return n // also backwards, although the first position is then limited to 0
	case x.step == 0:
		return dim.Unknown()
	case x.step == math.MinInt64:
		x.step++
	}
	start, end := x.bounds(n)
	from, number := x.start.Number()
	switch {
	case x.step > 0 && start.Is(0):
		return end.CeilDiv(dim.Number(x.step)) // a limited end is not before the first element
	case x.step == 1 && number && from < 0 && from > math.MinInt32 && end.Equal(n):
		return dim.Number(-from).Min(n) // the last elements
	case x.step > 0:
		return end.Sub(start).CeilDiv(dim.Number(x.step)).Max(dim.Number(0))
	default:
		return start.Sub(end).CeilDiv(dim.Number(-x.step)).Max(dim.Number(0))
	}
}

// bounds returns start and end, counted from 0 and limited to the axis: from 0 to n, or
// backwards from n-1 to -1.
func (x cut) bounds(n dim.Dim) (start, end dim.Dim) {
	one := dim.Number(1)
	if x.step > 0 {
		return clamp(fromEnd(x.start, n), dim.Number(0), n), clamp(fromEnd(x.end, n), dim.Number(0), n)
	}
	return clamp(fromEnd(x.start, n), dim.Number(0), n.Sub(one)), clamp(fromEnd(x.end, n), dim.Number(-1), n.Sub(one))
}

// fromEnd converts a position to one counted from 0. Negative positions count from the end. If
// the sign is unknown, so is the result.
func fromEnd(at, n dim.Dim) dim.Dim {
	number, ok := at.Number()
	lo, hi := at.Bounds()
	switch {
	case lo >= 0:
		return at
	case ok && number <= math.MinInt64/2:
		return dim.Number(math.MinInt64 / 2) // before every start, without overflow
	case hi < 0:
		return at.Add(n)
	default:
		return dim.UnknownInteger()
	}
}

// clamp limits a position.
func clamp(at, lo, hi dim.Dim) dim.Dim {
	if n, ok := at.Number(); ok && n >= math.MaxInt32 {
		if _, number := hi.Number(); !number {
			return hi // "to the end", as exporters write it
		}
	}
	return at.Min(hi).Max(lo)
}

// sliceElements takes the elements of a tensor if the ranges are numbers.
func (c *call) sliceElements(cuts []cut) {
	elems := c.elems(0)
	sizes, ok := fixed(c.dims(0))
	if elems == nil || !ok || len(c.out) == 0 {
		return
	}
	into, ok := fixed(c.out[0].Dims)
	if !ok {
		return
	}
	start, step := make([]int64, len(sizes)), make([]int64, len(sizes))
	for i := range step {
		step[i] = 1
	}
	for _, x := range cuts {
		from, _ := x.bounds(c.dims(0)[x.axis])
		if start[x.axis], ok = from.Number(); !ok {
			return
		}
		step[x.axis] = x.step
	}
	c.outElems(0, picked(elems, sizes, into, func(index, at []int64) {
		for i := range at {
			at[i] = start[i] + index[i]*step[i]
		}
	}))
}

func pad(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	pads, axes, ok := c.pads(len(d))
	if !ok {
		c.outDims(0, unknownDims(len(d)))
		return
	}
	if len(pads) != 2*len(axes) {
		c.problem(-1, fmt.Sprintf("there are %d pads, expected two for each of %d axes of %s", len(pads), len(axes), c.describe(0)))
		return
	}
	out := slices.Clone(d)
	for i, a := range axes {
		out[a] = c.padded(Source{out[a], 0, a}, pads[i], pads[i+len(axes)])
	}
	c.outDims(0, out)
}

// padded returns the size of an axis with elements added before and after it. Negative pads
// remove elements first, and the others repeat what remains.
func (c *call) padded(axis Source, before, after dim.Dim) dim.Dim {
	left, out := axis, axis.Size.Add(before).Add(after)
	for _, pad := range []dim.Dim{before, after} {
		if lo, _ := pad.Bounds(); lo < 0 {
			left.Size = left.Size.Add(pad.Min(dim.Number(0)))
		}
	}
	mode := c.attrText("mode", "constant")
	if mode == "constant" {
		c.filled(out)
		return out
	}
	c.atLeast(left, dim.Number(1), somethingLeft)
	for _, pad := range []dim.Dim{before, after} {
		if _, hi := pad.Bounds(); mode == "reflect" && hi > 0 {
			c.atLeast(left, pad.Add(dim.Number(1)), "a reflection needs %s elements; there are %s")
		}
	}
	return out
}

// pads returns the numbers of elements to add before and after each of the axes.
func (c *call) pads(rank int) (pads []dim.Dim, axes []int, ok bool) {
	var list []int64
	for i := range rank {
		list = append(list, int64(i))
	}
	if c.since < 11 {
		given, ok := c.attrInts("pads")
		if !ok {
			given, ok = c.attrInts("paddings")
		}
		axes, _ = c.axes(list, rank)
		return numbers(given...), axes, ok
	}
	most := dim.Number(int64(rank))
	if c.has(3) {
		most = c.extent(3, 0)
	}
	c.lists(1, most.Mul(dim.Number(2)))
	c.rankIn(1, 1)
	c.expectOne(2)
	if c.has(3) {
		if list, ok = c.ints(3); !ok {
			return nil, nil, false
		}
	}
	pads = c.positions(1)
	axes, ok = c.axes(list, rank)
	return pads, axes, ok && pads != nil
}

func centerCropPad(c *call) {
	d, target := c.dims(0), c.sizes(1)
	if d == nil {
		return
	}
	list, given := c.attrInts("axes")
	if !given {
		for i := range d {
			list = append(list, int64(i))
		}
	}
	c.lists(1, dim.Number(int64(len(list))))
	if target == nil {
		return
	}
	axes, ok := c.axes(list, len(d))
	if ok && len(axes) != len(target) {
		c.problem(1, fmt.Sprintf("there are %d sizes, but %d axes", len(target), len(axes)))
		ok = false
	}
	if !ok {
		return
	}
	out := slices.Clone(d)
	for i, a := range axes {
		out[a] = target[i]
		if n, ok := target[i].Number(); ok && n < 0 { // nothing remains
			out[a] = dim.Number(0)
		}
	}
	c.outDims(0, out)
}
