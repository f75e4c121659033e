package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// movements has the rules of operators that move elements to other positions.
var movements = family{
	"Transpose": transpose, "Concat": concat, "Split": split, "Tile": tile, "Expand": expand,
	"DepthToSpace": depthToSpace, "SpaceToDepth": spaceToDepth, "ReverseSequence": reverseSequence, "Trilu": trilu,
}

func transpose(c *call) {
	d := c.dims(0)
	perm, given := c.attrInts("perm")
	if d == nil {
		if given {
			c.outDims(0, unknownDims(len(perm)))
		}
		return
	}
	if !given {
		for i := len(d) - 1; i >= 0; i-- {
			perm = append(perm, int64(i))
		}
	}
	axes, ok := c.axes(perm, len(d))
	if sorted := slices.Sorted(slices.Values(axes)); !ok || len(perm) != len(d) || len(slices.Compact(sorted)) != len(d) {
		c.problem(0, fmt.Sprintf("perm %s is not a permutation of the axes of %s", brief(perm), c.describe(0)))
		return
	}
	out := make([]dim.Dim, len(d))
	for i, a := range axes {
		out[i] = d[a]
	}
	c.outDims(0, out)
	into, okInto := fixed(out)
	if sizes, ok := fixed(d); ok && okInto && c.elems(0) != nil {
		c.outElems(0, picked(c.elems(0), sizes, into, func(index, at []int64) {
			for i, a := range axes {
				at[a] = index[i]
			}
		}))
	}
}

func concat(c *call) {
	inputs := c.present()
	if len(inputs) == 0 {
		return
	}
	var out []dim.Dim
	for _, i := range inputs {
		if out = c.dims(i); out != nil {
			break
		}
	}
	if out == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 1), len(out))
	if !ok {
		return
	}
	out = slices.Clone(out)
	sum := dim.Number(0)
	for _, i := range inputs {
		d := c.dims(i)
		if d != nil && len(d) != len(out) {
			c.problem(i, fmt.Sprintf("%s and %s have different ranks", c.describe(inputs[0]), c.describe(i)))
			return
		}
		if d == nil {
			sum = dim.Unknown()
			continue
		}
		sum = sum.Add(d[axis])
		for a := range out {
			if a != axis && c.dims(inputs[0]) != nil {
				out[a] = known(out[a], c.same(inputs[0], a, i, a))
			}
		}
	}
	out[axis] = sum
	c.outDims(0, out)
	c.concatElements(inputs, axis)
}

// concatElements concatenates the elements of vectors, or of tensors whose other axes have size
// 1.
func (c *call) concatElements(inputs []int, axis int) {
	if axis != 0 || len(c.out) == 0 {
		return
	}
	n, ok := count(c.out[0].Dims)
	if !ok {
		return
	}
	out := make([]elem, 0, n)
	anything := false
	for _, i := range inputs {
		part, ok := count(c.dims(i))
		if !ok {
			return
		}
		elems := c.elems(i)
		if anything = anything || elems != nil; elems == nil {
			elems = make([]elem, part)
			for k := range elems {
				elems[k] = unknownElem()
			}
		}
		out = append(out, elems...)
	}
	if anything {
		c.outElems(0, out)
	}
}

func split(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 0), len(d))
	if !ok {
		return
	}
	start := dim.Number(0)
	for o, n := range c.splitSizes(d[axis]) {
		out := slices.Clone(d)
		out[axis] = n
		c.outDims(o, out)
		if from, ok := start.Number(); ok && len(d) == 1 && c.elems(0) != nil {
			if size, ok := n.Number(); ok && from >= 0 && size >= 0 && size <= int64(len(c.elems(0)))-from {
				c.outElems(o, c.elems(0)[from:from+size])
			}
		}
		start = start.Add(n)
	}
}

// splitSizes returns the sizes of the parts of an axis.
func (c *call) splitSizes(n dim.Dim) []dim.Dim {
	parts := len(c.out)
	var sizes []dim.Dim
	if list, ok := c.attrInts("split"); ok {
		sizes = numbers(list...)
	} else if c.has(1) {
		c.rankIn(1, 1)
		sizes = c.sizes(1)
	} else {
		return c.evenParts(n, int64(parts))
	}
	c.lists(1, dim.Number(int64(parts)))
	if len(sizes) != parts {
		return unknownDims(parts)
	}
	c.demandSum(n, sizes)
	return sizes
}

func (c *call) demandSum(n dim.Dim, sizes []dim.Dim) {
	sum := dim.Number(0)
	for _, s := range sizes {
		sum = sum.Add(s)
	}
	if sum.Known() && n.Known() {
		sizes := -1
		if c.has(1) {
			sizes = 1
		}
		c.demand(Source{n, 0, -1}, Source{sum, sizes, -1})
	}
}

// evenParts returns equal parts. From version 18 the last part may be smaller, and num_outputs
// is their number, so that the last outputs may be omitted. ONNX Runtime up to 1.31 creates as many
// parts as there are outputs and ignores num_outputs. Since 1.32 the run fails.
func (c *call) evenParts(n dim.Dim, parts int64) []dim.Dim {
	out := make([]dim.Dim, parts)
	if parts == 0 {
		return out
	}
	if c.since < 18 {
		each, whole := n.Quotient(dim.Number(parts))
		if size, ok := n.Number(); ok && !whole {
			c.problem(0, fmt.Sprintf("%s has an axis of size %d, which cannot be divided into %d equal parts", c.describe(0), size, parts))
		}
		if !whole {
			c.partsInto(0, n, dim.Number(parts))
			each = n.FloorDiv(dim.Number(parts))
		}
		for i := range out {
			out[i] = each
		}
		return out
	}
	whole := c.attrInt("num_outputs", parts)
	if whole != parts && c.options.Agreed {
		return unknownDims(int(parts))
	}
	each := n.CeilDiv(dim.Number(whole))
	for i := range out {
		out[i] = each
	}
	if whole <= parts {
		out[parts-1] = n.Sub(each.Mul(dim.Number(parts - 1)))
		c.atLeast(Source{out[parts-1], 0, -1}, dim.Number(1), somethingLeft)
	}
	return out
}

func tile(c *call) {
	d, repeats := c.dims(0), c.sizes(1)
	if c.since < 6 && d != nil {
		c.outDims(0, unknownDims(len(d)))
		return
	}
	c.rankIn(1, 1)
	if d != nil {
		c.lists(1, dim.Number(int64(len(d))))
	}
	switch {
	case d == nil && repeats != nil:
		c.outDims(0, unknownDims(len(repeats)))
		return
	case d == nil:
		return
	case repeats == nil:
		c.outDims(0, unknownDims(len(d)))
		return
	case len(repeats) != len(d):
		c.problem(1, fmt.Sprintf("there are %d repeats, expected one for each axis of %s", len(repeats), c.describe(0)))
		return
	}
	out := make([]dim.Dim, len(d))
	for i := range d {
		out[i] = d[i].Mul(repeats[i])
	}
	c.outDims(0, out)
	sizes, _ := fixed(d)
	if _, ok := count(out); ok && c.elems(0) != nil {
		into, _ := fixed(out)
		c.outElems(0, picked(c.elems(0), sizes, into, func(index, at []int64) {
			for i := range at {
				at[i] = index[i] % sizes[i]
			}
		}))
	}
}

func expand(c *call) {
	c.expectShape(1)
	d, target := c.dims(0), c.sizes(1)
	if d == nil || target == nil {
		return
	}
	c.noneBelow0(1, target)
	rank := max(len(d), len(target))
	out := make([]dim.Dim, rank)
	for i := range out {
		x, y := i-rank+len(d), i-rank+len(target)
		switch {
		case x < 0:
			out[i] = target[y]
		case y < 0:
			out[i] = d[x]
		default:
			out[i] = c.shared(Source{d[x], 0, x}, Source{target[y], 1, y})
		}
	}
	c.outDims(0, out)
	if _, ok := count(out); ok && c.elems(0) != nil {
		into, _ := fixed(out)
		c.outElems(0, c.spreadTo(0, into))
	}
}

func trilu(c *call) {
	firstShape(c)
	c.expectOne(1)
}

func reverseSequence(c *call) {
	firstShape(c)
	if d := c.firstRankFrom(2); d != nil && c.rankIn(1, 1) != nil {
		if batch, ok := c.axis(c.attrInt("batch_axis", 1), len(d)); ok {
			c.agree(0, batch, 1, 0)
		}
	}
}

func depthToSpace(c *call) { c.blocks(true) }
func spaceToDepth(c *call) { c.blocks(false) }

// blocks moves blocks of blocksize × blocksize elements between the channels and the plane. toSpace
// is set for DepthToSpace.
func (c *call) blocks(toSpace bool) {
	d := c.dims(0)
	b := dim.Number(c.attrInt("blocksize", 0))
	if c.rankIn(0, 4) == nil {
		c.outDims(0, unknownDims(4))
		return
	}
	if lo, _ := b.Bounds(); lo < 1 {
		c.problem(-1, fmt.Sprintf("blocksize is %s, expected at least 1", b))
		return
	}
	if toSpace {
		c.partsInto(0, d[1], b.Mul(b))
		c.outDims(0, []dim.Dim{d[0], d[1].FloorDiv(b.Mul(b)), d[2].Mul(b), d[3].Mul(b)})
		return
	}
	c.partsInto(0, d[2], b)
	c.partsInto(0, d[3], b)
	c.outDims(0, []dim.Dim{d[0], d[1].Mul(b).Mul(b), d[2].FloorDiv(b), d[3].FloorDiv(b)})
}
