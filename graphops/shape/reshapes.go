package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// reshapes has the rules of operators that give the same elements, in the same order, another
// shape.
var reshapes = family{
	"Reshape": reshape, "Flatten": flatten, "Squeeze": squeeze, "Unsqueeze": unsqueeze,
}

func reshape(c *call) {
	if c.since < 5 {
		if target, ok := c.attrInts("shape"); ok {
			c.reshapeTo(numbers(target...))
		}
		return
	}
	c.rankIn(1, 1)
	if target := c.sizes(1); target != nil {
		c.reshapeTo(target)
	}
}

// reshapeTo computes a shape in which 0 copies the axis of the input and -1 follows from the
// others. An element that may be one of these, such as n-1 for n = 1, is a known size only if the
// input's axis has the same size.
func (c *call) reshapeTo(target []dim.Dim) {
	in := c.dims(0)
	out := slices.Clone(target)
	rest, copies, loose := -1, c.attrInt("allowzero", 0) == 0, []int(nil)
	for i, d := range target {
		lo, hi := d.Bounds()
		switch {
		case d.Is(-1) && rest >= 0:
			c.problem(1, fmt.Sprintf("the shape %s has -1 more than once", text(target)))
			return
		case d.Is(-1):
			rest = i
		case d.Is(0) && copies:
			if out[i] = dim.Unknown(); i < len(in) {
				out[i] = in[i]
			} else if in != nil {
				c.problem(1, fmt.Sprintf("element %d of the shape %s copies an axis that %s does not have", i, text(target), c.describe(0)))
			}
		case hi < -1:
			c.problem(1, fmt.Sprintf("the shape %s has a size below -1", text(target)))
			return
		case i < len(in) && d.Known() && d.Equal(in[i]):
		case !d.Known(), lo < 0, lo == 0 && copies && !d.Is(0):
			out[i] = dim.Unknown()
			loose = append(loose, i)
		}
	}
	if rest < 0 && in != nil && len(loose) > 0 {
		c.countLoose(in, out, target, loose)
	}
	c.balance(in, out, rest)
	c.outDims(0, out)
	if elems := c.elems(0); elems != nil {
		c.keepElements(elems)
	}
}

// countLoose demands that both shapes have the same number of elements, assuming that elements of
// the target which might be 0 or -1 are neither.
func (c *call) countLoose(in, out, target []dim.Dim, loose []int) {
	made := slices.Clone(out)
	for _, i := range loose {
		made[i] = target[i]
	}
	if n := dim.Product(made...); n.Known() {
		c.sameCount(dim.Product(in...), n)
	}
}

// balance sets the axis that follows from the others, or demands that both shapes have the same
// number of elements. If exactly one size is unknown, it also follows from the others, whether the
// element is a number, 0 or -1.
func (c *call) balance(in, out []dim.Dim, rest int) {
	open := 0
	for i, d := range out {
		if rest != i && !d.Known() && !slices.ContainsFunc(in, d.Equal) {
			open++
			if rest < 0 {
				rest = i
			}
		}
	}
	if rest >= 0 {
		out[rest] = dim.Unknown()
	}
	if in == nil || open > 1 {
		return
	}
	all := dim.Product(in...)
	if rest < 0 {
		c.sameCount(all, dim.Product(out...))
		return
	}
	others := dim.Product(slices.Delete(slices.Clone(out), rest, rest+1)...)
	n, isNumber := all.Number()
	by, numbers := others.Number()
	q, whole := all.Quotient(others)
	switch {
	case whole:
		out[rest] = q
	case isNumber && numbers && by > 0:
		c.problem(0, fmt.Sprintf("%s has %d elements, which is not a multiple of %d, the product of the other sizes of the shape %s", c.describe(0), n, by, text(out)))
	case all.Known() && others.Known() && !others.Is(0):
		if lo, _ := others.Bounds(); lo > 0 {
			c.partsInto(0, all, others)
		}
		out[rest] = all.FloorDiv(others)
	}
}

// sameCount demands the same number of elements on both sides.
func (c *call) sameCount(all, made dim.Dim) {
	if dim.Apart(all, made) && all.Known() && made.Known() {
		c.problem(0, fmt.Sprintf("%s has %s elements, but the new shape has %s", c.describe(0), all, made))
	}
	c.note(Source{all, 0, -1}, Source{made, 1, -1}, Equals, "")
}

// text formats sizes as a list.
func text(dims []dim.Dim) string { return fmt.Sprint(dims) }

func flatten(c *call) {
	d := c.dims(0)
	if d == nil {
		c.outDims(0, unknownDims(2))
		return
	}
	axis := c.attrInt("axis", 1)
	if axis < 0 {
		axis += int64(len(d))
	}
	if axis < 0 || axis > int64(len(d)) {
		c.problem(0, fmt.Sprintf("%s has no axis %d at which it could be flattened", c.describe(0), axis))
		return
	}
	c.outDims(0, []dim.Dim{dim.Product(d[:axis]...), dim.Product(d[axis:]...)})
}

// axesInput returns the axes in an attribute, or in an input in later versions.
func (c *call) axesInput(input int) (axes []int64, given, known bool) {
	if list, ok := c.attrInts("axes"); ok {
		return list, true, true
	}
	if !c.has(input) {
		return nil, false, true
	}
	list, ok := c.ints(input)
	return list, true, ok
}

// squeeze is the rule of Squeeze. It drops the listed axes. An empty list drops none, but ONNX
// Runtime 1.30 then drops all axes of size 1, as if there was no list.
func squeeze(c *call) {
	d := c.dims(0)
	c.rankIn(1, 1)
	list, given, known := c.axesInput(1)
	if elems := c.elems(0); elems != nil {
		defer func() { c.keepElements(elems) }()
	}
	switch {
	case d == nil:
	case !known:
		if gone := c.sizes(1); gone != nil && len(gone) <= len(d) {
			c.outDims(0, withoutSome(d, len(gone)))
		}
	case given && len(list) == 0 && c.options.Agreed:
		if all := c.withoutOnes(d); len(all) == len(d) {
			c.outDims(0, all)
		}
	case given:
		axes, ok := c.axes(list, len(d))
		if !ok {
			return
		}
		gone := map[int]bool{}
		for _, a := range axes {
			gone[a] = true
			c.demand(Source{d[a], 0, a}, Source{dim.Number(1), -1, -1})
		}
		c.outDims(0, withoutAxes(d, gone, false))
	default:
		c.outDims(0, c.withoutOnes(d))
	}
}

// withoutSome drops n axes of size 1 without knowing which. If exactly n axes can have size 1, it
// drops these. Otherwise all remaining sizes are unknown.
func withoutSome(d []dim.Dim, n int) []dim.Dim {
	ones := map[int]bool{}
	for i, size := range d {
		if lo, hi := size.Bounds(); lo <= 1 && hi >= 1 {
			ones[i] = true
		}
	}
	if len(ones) == n {
		return withoutAxes(d, ones, false)
	}
	return unknownDims(len(d) - n)
}

// withoutOnes drops all axes of size 1. If it is unknown whether an axis has size 1, the rank of
// the result is unknown (nil).
func (c *call) withoutOnes(d []dim.Dim) []dim.Dim {
	gone := map[int]bool{}
	for i, n := range d {
		if lo, _ := n.Bounds(); !n.Is(1) && lo < 2 && !n.Is(0) {
			return nil
		}
		gone[i] = n.Is(1)
	}
	return withoutAxes(d, gone, false)
}

// keepElements gives the output the elements of the input, if their number is the same.
func (c *call) keepElements(elems []elem) {
	if len(c.out) == 0 {
		return
	}
	if n, ok := count(c.out[0].Dims); ok && n == int64(len(elems)) {
		c.outElems(0, elems)
	}
}

func unsqueeze(c *call) {
	d := c.dims(0)
	c.rankIn(1, 0, 1)
	list, _, known := c.axesInput(1)
	if d == nil {
		return
	}
	if !known {
		if more := c.sizes(1); more != nil {
			c.outDims(0, unknownDims(len(d)+len(more)))
		}
		return
	}
	rank := len(d) + len(list)
	axes, ok := c.axes(list, rank)
	if !ok {
		return
	}
	added := map[int]bool{}
	for _, a := range axes {
		added[a] = true
	}
	out := make([]dim.Dim, 0, rank)
	for i := range rank {
		if added[i] {
			out = append(out, dim.Number(1))
		} else if len(d) > 0 {
			out, d = append(out, d[0]), d[1:]
		}
	}
	if len(out) != rank {
		c.problem(1, fmt.Sprintf("the axes %s contain an axis twice", brief(list)))
		return
	}
	c.outDims(0, out)
	if elems := c.elems(0); elems != nil {
		c.keepElements(elems)
	}
}
