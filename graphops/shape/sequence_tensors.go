package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// sequenceTensors has the rules of operators that create a tensor from a sequence, or a sequence
// from a tensor.
var sequenceTensors = family{"ConcatFromSequence": concatFromSequence, "SplitToSequence": splitToSequence}

func concatFromSequence(c *call) {
	of := c.elementOf(0)
	c.outTensor(0, of.Elem, nil)
	types, all := []Type{of}, false
	if list, ok := c.items(); ok {
		types, all = nil, true
		for _, x := range list {
			types = append(types, c.itemValue(x).Type)
		}
		of = joinAll(types)
		c.sameRanks(types)
	}
	stack := c.attrInt("new_axis", 0) != 0
	rank := len(of.Dims)
	if stack {
		rank++
	}
	if of.Dims == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 0), rank)
	if !ok || !c.sameBut(types, axis, stack) {
		return
	}
	out := slices.Clone(of.Dims)
	if stack {
		out = slices.Insert(out, axis, dim.Unknown())
		if all {
			out[axis] = dim.Number(int64(len(types)))
		}
	} else {
		out[axis] = dim.Unknown()
		if all {
			out[axis] = sumOf(types, axis)
		}
	}
	c.outDims(0, out)
}

// sameBut reports whether tensors may have the same sizes, except along an axis unless they are
// stacked. If they cannot, that is a problem.
func (c *call) sameBut(types []Type, axis int, stack bool) bool {
	for k, t := range types {
		for i, d := range t.Dims {
			if !stack && i == axis {
				continue
			}
			c.note(Source{d, 0, -1}, Source{types[0].Dims[i], 0, -1}, Equals, "")
			if dim.Apart(d, types[0].Dims[i]) {
				c.problem(0, fmt.Sprintf("elements 0 and %d of %s have the types %s and %s", k, c.describe(0), types[0], t))
				return false
			}
		}
	}
	return true
}

// sameRanks requires that tensors have the same rank.
func (c *call) sameRanks(types []Type) {
	for k, t := range types {
		if first := types[0]; t.Dims != nil && first.Dims != nil && len(t.Dims) != len(first.Dims) {
			c.problem(0, fmt.Sprintf("elements 0 and %d of %s have the types %s and %s", k, c.describe(0), first, t))
			return
		}
	}
}

func sumOf(types []Type, axis int) dim.Dim {
	sum := dim.Number(0)
	for _, t := range types {
		sum = sum.Add(t.Dims[axis])
	}
	return sum
}

func splitToSequence(c *call) {
	d := c.dims(0)
	of := tensorOf(c.elem(0), nil)
	defer func() { c.outSequence(0, of) }()
	if d == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 0), len(d))
	if !ok {
		return
	}
	if !c.has(1) && c.attrInt("keepdims", 1) == 0 {
		of.Dims = slices.Delete(slices.Clone(d), axis, axis+1)
		return
	}
	of.Dims = slices.Clone(d)
	of.Dims[axis] = c.commonPart(d[axis])
}

// commonPart returns the size of all parts of an axis of size n, if they are equal.
func (c *call) commonPart(n dim.Dim) dim.Dim {
	if !c.has(1) {
		return dim.Number(1)
	}
	sizes := c.elems(1)
	if len(sizes) == 0 || c.dims(1) == nil {
		return dim.Unknown()
	}
	size := sizes[0].size()
	if len(c.dims(1)) == 1 {
		c.demandSum(n, c.sizes(1))
		for _, e := range sizes {
			if !e.size().Equal(size) {
				return dim.Unknown()
			}
		}
		return size
	}
	if lo, hi := size.Bounds(); hi < 1 {
		c.problem(1, fmt.Sprintf("%s is %s, expected at least 1", c.describe(1), size))
	} else if _, whole := n.Quotient(size); whole && lo > 0 {
		return size
	}
	return dim.Unknown()
}
