package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// gathers has the rules of operators that read or write elements at positions given by a tensor.
var gathers = family{
	"Gather": gather, "GatherElements": gatherElements, "GatherND": gatherND,
	"Scatter": scatterElements, "ScatterElements": scatterElements, "ScatterND": scatterND, "TensorScatter": tensorScatter,
	"OneHot": oneHot, "TopK": topK, "NonZero": nonZero, "Compress": compress, "Unique": unique,
}

func gather(c *call) {
	d, at := c.dims(0), c.dims(1)
	if d == nil || at == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", 0), len(d))
	if !ok {
		return
	}
	c.outDims(0, joined(d[:axis], at, d[axis+1:]))
	c.indexes(1, Source{d[axis], 0, axis})
	c.gatherElements(axis)
}

// gatherElements is the rule of GatherElements for elements that are known. It applies only to axis
// 0, along which lists of sizes are read.
func (c *call) gatherElements(axis int) {
	elems, at := c.elems(0), c.elems(1)
	sizes, ok := fixed(c.dims(0))
	if elems == nil || at == nil || !ok || axis != 0 || sizes[0] == 0 {
		return
	}
	row := len(elems) / int(sizes[0])
	out := []elem{}
	for _, e := range at {
		n, ok := e.int()
		if n < 0 {
			n += sizes[0]
		}
		switch {
		case ok && (n < 0 || n >= sizes[0]):
			c.problem(1, fmt.Sprintf("index %s is outside of axis 0 of %s", e.num, c.describe(0)))
			return
		case ok:
			out = append(out, elems[int(n)*row:int(n+1)*row]...)
		default:
			for range row {
				out = append(out, unknownElem())
			}
		}
		if len(out) > MaxElements {
			return
		}
	}
	c.outElems(0, out)
}

func gatherElements(c *call) {
	c.outDims(0, c.dims(1))
	d := c.dims(0)
	if d == nil || c.dims(1) == nil || c.rankIn(1, len(d)) == nil {
		return
	}
	c.indexesWithin()
}

// indexesWithin demands that indices with the rank of the data are within the data along all axes
// except the indexed one.
func (c *call) indexesWithin() {
	d, at := c.dims(0), c.dims(1)
	axis, ok := c.axis(c.attrInt("axis", 0), len(d))
	if !ok {
		return
	}
	for i := range d {
		if i != axis {
			c.note(Source{at[i], 1, i}, Source{d[i], 0, i}, AtMost, "")
		}
	}
	c.indexes(1, Source{d[axis], 0, axis})
}

// scatterElements is the rule of ScatterElements. It writes elements to positions given by indices
// of the same shape.
func scatterElements(c *call) {
	firstShape(c)
	d, at := c.dims(0), c.dims(1)
	if d == nil || at == nil || c.rankIn(1, len(d)) == nil {
		return
	}
	c.indexesWithin()
	c.expect(2, "one for each index", at...)
}

func gatherND(c *call) {
	d, at := c.dims(0), c.dims(1)
	batch := c.attrInt("batch_dims", 0)
	if d == nil || at == nil || c.firstRankFrom(1) == nil || c.rankFrom(1, 1) == nil || batch < 0 || batch > int64(min(len(d), len(at))) {
		return
	}
	for i := range int(batch) {
		c.note(Source{d[i], 0, i}, Source{at[i], 1, i}, Equals, "")
	}
	c.note(Source{at[len(at)-1], 1, len(at) - 1}, Source{dim.Number(int64(len(d)) - batch), -1, -1}, AtMost, "")
	n, ok := at[len(at)-1].Number()
	if !ok {
		return
	}
	if n < 0 || n > int64(len(d))-batch {
		c.problem(1, fmt.Sprintf("%s indexes %d axes, after %d batch axes, which is more than the axes of %s", c.describe(1), n, batch, c.describe(0)))
		return
	}
	c.outDims(0, joined(at[:len(at)-1], d[batch+n:]))
	c.indexesAll(d[batch : batch+n])
}

func scatterND(c *call) {
	firstShape(c)
	c.expectUpdates()
	elems, at, updates := c.elems(0), c.elems(1), c.elems(2)
	if elems == nil || len(c.dims(0)) != 1 || at == nil || updates == nil || c.attrText("reduction", "none") != "none" || len(at) != len(updates) {
		return
	}
	out := slices.Clone(elems)
	for i, e := range at {
		n, ok := e.int()
		if n < 0 {
			n += int64(len(out))
		}
		if !ok || n < 0 || n >= int64(len(out)) {
			return
		}
		out[n] = updates[i]
	}
	c.outElems(0, out)
}

// expectUpdates requires that the updates of a ScatterND have one slice of the data for each index.
func (c *call) expectUpdates() {
	d, at := c.firstRankFrom(1), c.rankFrom(1, 1)
	if d == nil || at == nil {
		return
	}
	c.note(Source{at[len(at)-1], 1, len(at) - 1}, Source{dim.Number(int64(len(d))), -1, -1}, AtMost, "")
	n, ok := at[len(at)-1].Number()
	switch {
	case !ok:
	case n < 0 || n > int64(len(d)):
		c.problem(1, fmt.Sprintf("%s indexes %d axes, which is more than the axes of %s", c.describe(1), n, c.describe(0)))
	default:
		c.expect(2, "a part of the data for each index", joined(at[:len(at)-1], d[n:])...)
		c.indexesAll(d[:n])
	}
}

// tensorScatter is the rule of TensorScatter. It writes new sequence positions into a cache.
func tensorScatter(c *call) {
	firstShape(c)
	c.vector(2, 0, 0)
	d := c.dims(0)
	if d == nil || c.dims(1) == nil || c.rankIn(1, len(d)) == nil {
		return
	}
	along, ok := c.axis(c.attrInt("axis", -2), len(d))
	for axis := range d {
		switch {
		case axis != along:
			c.same(0, axis, 1, axis)
		case ok:
			c.atLeast(c.axisSource(0, axis), c.extent(1, axis), cacheHolds)
		}
	}
}

func oneHot(c *call) {
	d := c.firstRankFrom(1)
	c.outTensor(0, c.elem(2), nil)
	c.expectOne(1)
	c.expect(2, "the values for off and on", dim.Number(2))
	if d == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", -1), len(d)+1)
	if !ok {
		return
	}
	depth := dim.Unknown()
	if n := c.elems(1); len(n) == 1 {
		depth = n[0].truncated().size()
	}
	c.atLeast(Source{depth, 1, -1}, dim.Number(1), somethingLeft)
	c.outDims(0, slices.Insert(slices.Clone(d), axis, depth))
}

func topK(c *call) {
	d := c.dims(0)
	c.outTensor(1, tensor.I64, nil)
	if d == nil {
		return
	}
	axis, ok := c.axis(c.attrInt("axis", -1), len(d))
	if !ok {
		return
	}
	if c.has(1) && c.rankIn(1, 1) != nil {
		c.expectOne(1)
	}
	k := dim.Unknown()
	if n, ok := c.attr("k"); ok {
		k = dim.Number(n.Int())
	} else if n := c.sizes(1); len(n) == 1 {
		k = n[0]
	}
	most, fixed := d[axis].Number()
	if n, ok := k.Number(); ok && fixed && n > most {
		c.problem(0, fmt.Sprintf("k is %d, but axis %d of %s has size %d", n, axis, c.describe(0), most))
	}
	c.atLeast(Source{d[axis], 0, axis}, k, "%s elements are to be selected from %s")
	out := slices.Clone(d)
	out[axis] = k
	c.outDims(0, out)
	c.outDims(1, out)
}

func nonZero(c *call) {
	d := c.dims(0)
	rank := dim.Unknown()
	if d != nil {
		rank = dim.Number(int64(max(len(d), 1)))
	}
	c.outTensor(0, tensor.I64, []dim.Dim{rank, dim.Unknown()})
	sizes, ok := fixed(d)
	elems := c.elems(0)
	if !ok || elems == nil {
		return
	}
	c.nonZeroOf(sizes, elems)
}

// nonZeroOf lists the positions of nonzero elements if all elements are known.
func (c *call) nonZeroOf(sizes []int64, elems []elem) {
	rows := make([][]elem, max(len(sizes), 1))
	k, known := 0, true
	eachIndex(sizes, func(index []int64) {
		v, ok := elems[k].truth()
		k++
		if known = known && ok; !v {
			return
		}
		for i, n := range index {
			rows[i] = append(rows[i], numberElem(n))
		}
		if len(index) == 0 {
			rows[0] = append(rows[0], numberElem(0))
		}
	})
	if known {
		c.outTensor(0, tensor.I64, numbers(int64(len(rows)), int64(len(rows[0]))))
		c.outElems(0, append([]elem{}, slices.Concat(rows...)...))
	}
}

func compress(c *call) {
	d := c.firstRankFrom(1)
	axis, given := c.attr("axis")
	if !given {
		c.outDims(0, unknownDims(1))
		return
	}
	if d == nil {
		return
	}
	if at, ok := c.axis(axis.Int(), len(d)); ok {
		out := slices.Clone(d)
		out[at] = dim.Unknown()
		c.outDims(0, out)
	}
}

func unique(c *call) {
	d := c.dims(0)
	n := dim.Unknown()
	for o := 1; o < 4; o++ {
		c.outTensor(o, tensor.I64, []dim.Dim{n})
	}
	axis, given := c.attr("axis")
	if !given {
		c.outDims(0, []dim.Dim{n})
		if d != nil {
			c.outTensor(2, tensor.I64, []dim.Dim{dim.Product(d...)})
		}
		return
	}
	if d == nil {
		return
	}
	if at, ok := c.axis(axis.Int(), len(d)); ok {
		out := slices.Clone(d)
		out[at] = n
		c.outDims(0, out)
		c.outTensor(2, tensor.I64, []dim.Dim{d[at]})
	}
}
