package shape

import (
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// reductions has the rules of operators that compute one element from all elements along some axes.
var reductions = family{
	"ReduceL1": reduce(nil), "ReduceL2": reduce(nil), "ReduceLogSum": reduce(nil), "ReduceLogSumExp": reduce(nil),
	"ReduceMax": reduce(elem.max), "ReduceMin": reduce(elem.min), "ReduceProd": reduce(elem.mul), "ReduceSum": reduce(elem.add),
	"ReduceMean": reduce(nil), "ReduceSumSquare": reduce(nil),
	"ArgMax": argReduce, "ArgMin": argReduce,
}

// reduce returns the rule of a reduction. The axes are an attribute, or an input in later versions.
// Without axes it reduces all axes. f combines traced elements.
func reduce(f func(a, b elem) elem) rule {
	return func(c *call) {
		d := c.dims(0)
		if d == nil {
			return
		}
		axes, known := c.reducedAxes(len(d))
		if !known {
			c.outReducedUnknown(d)
			return
		}
		c.outDims(0, withoutAxes(d, axes, c.keepsAxes()))
		if elems := c.elems(0); f != nil && len(elems) > 0 && len(c.out) > 0 && len(axes) == len(d) {
			all := elems[0]
			for _, e := range elems[1:] {
				all = f(all, e).as(c.out[0].Elem)
			}
			c.outElems(0, []elem{all})
		}
	}
}

// keepsAxes reports whether reduced axes are kept with a size of 1. Runtimes treat only 1 as
// true.
func (c *call) keepsAxes() bool { return c.attrInt("keepdims", 1) == 1 }

// reducedAxes returns the reduced axes. known is false if they come from data.
func (c *call) reducedAxes(rank int) (axes map[int]bool, known bool) {
	list, _ := c.attrInts("axes")
	if c.has(1) {
		c.rankIn(1, 1)
		if list, known = c.ints(1); !known {
			return nil, false
		}
	}
	axes = map[int]bool{}
	if len(list) == 0 {
		if c.attrInt("noop_with_empty_axes", 0) == 0 {
			for i := range rank {
				axes[i] = true
			}
		}
		return axes, true
	}
	counted, ok := c.axes(list, rank)
	for _, a := range counted {
		axes[a] = true
	}
	return axes, ok
}

// outReducedUnknown sets the shape after a reduction along unknown axes. The rank is known if
// axes are kept, or if their number is known.
func (c *call) outReducedUnknown(d []dim.Dim) {
	if c.keepsAxes() {
		c.outDims(0, unknownDims(len(d)))
	} else if gone := c.sizes(1); len(gone) > 0 && len(gone) <= len(d) {
		c.outDims(0, unknownDims(len(d)-len(gone)))
	}
}

func withoutAxes(d []dim.Dim, axes map[int]bool, keep bool) []dim.Dim {
	out := []dim.Dim{}
	for i, n := range d {
		switch {
		case !axes[i]:
			out = append(out, n)
		case keep:
			out = append(out, dim.Number(1))
		}
	}
	return out
}

func argReduce(c *call) {
	c.outTensor(0, tensor.I64, nil)
	d := c.dims(0)
	if d == nil {
		return
	}
	if axis, ok := c.axis(c.attrInt("axis", 0), len(d)); ok {
		c.atLeast(Source{d[axis], 0, axis}, dim.Number(1), somethingLeft)
		c.outDims(0, withoutAxes(d, map[int]bool{axis: true}, c.keepsAxes()))
	}
}
