package simplify

import (
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

// end describes the nodes after an attention, which merge the heads of the result.
type end struct {
	// result is batch × heads × steps × size.
	result *rewrite.Value
	// flat is the result as batch × steps × (heads · size), or nil.
	flat *rewrite.Value
	// swapped is the result as batch × steps × heads × size, if only reshape reads it and could
	// read the flat form instead; otherwise nil.
	swapped *rewrite.Value
	reshape *rewrite.Node
	shapes  []shapeReader
}

// shapeReader is a node that reads the shape of a value that will be removed, and another value
// of the same shape.
type shapeReader struct {
	node *rewrite.Node
	same *rewrite.Value
}

func (a *attended) findEnd() end {
	e := end{result: a.product.Out(0)}
	headed, parted := a.q.headed, a.q.parted()
	if !a.q.dims[3].Equal(a.v.dims[3]) {
		headed, parted = nil, nil // because their shape differs from that of the result
	}
	t := e.only(e.result, headed)
	for range 4 {
		if !t.Is("Reshape", "Cast") || !sameDims(t.Out(0), e.result) {
			break
		}
		e.result = t.Out(0)
		t = e.only(e.result, headed)
	}
	if a.q.dims[2].Is(1) && t.Is("Reshape") && t.In(0) == e.result && takesFlat(t, 1) {
		e.reshape, e.swapped = t, e.result
		return e
	}
	if !transposes(t, permHeads) {
		return end{result: a.product.Out(0)}
	}
	d := a.v.dims
	r := e.only(t.Out(0), parted)
	switch {
	case !r.Is("Reshape") || r.In(0) != t.Out(0):
	case equalDims(r.Out(0).Type().Dims, []dim.Dim{d[0], a.q.dims[2], d[1].Mul(d[3])}):
		e.reshape, e.flat = r, r.Out(0)
		return e
	case takesFlat(r, 2):
		e.reshape, e.swapped = r, t.Out(0)
		return e
	}
	return end{result: a.product.Out(0)}
}

// only returns the node of the same graph that reads a value, if it is the only one, or nil. Nodes
// that only read the shape of the value are recorded instead, if the value same has that shape too.
func (e *end) only(v, same *rewrite.Value) (reader *rewrite.Node) {
	if v.IsOutput() {
		return nil
	}
	for _, r := range v.Readers() {
		switch {
		case r.Is("Shape") && same != nil:
			e.shapes = append(e.shapes, shapeReader{r, same})
		case reader != nil || r.Graph() != v.Graph():
			return nil
		default:
			reader = r
		}
	}
	return reader
}

// parted returns the operand before its Transpose: batch × steps × heads × size.
func (o *operand) parted() *rewrite.Value {
	if o.flat == nil || o.headed == nil || !o.headed.Producer().Is("Transpose") {
		return nil
	}
	return o.headed.Producer().In(0)
}

// takesFlat reports whether a Reshape gives the same result if the axes of its input from index
// from on are replaced by others with the same number of elements. That holds if it copies the size
// of none of them by a zero.
func takesFlat(n *rewrite.Node, from int) bool {
	if n.Int("allowzero", 0) != 0 {
		return true
	}
	sizes := n.In(1).Known().Sizes()
	if list, ok := n.In(1).Ints(); ok {
		sizes = nil
		for _, size := range list {
			sizes = append(sizes, dim.Number(size))
		}
	}
	for i, d := range sizes {
		if lo, hi := d.Bounds(); i >= from && lo <= 0 && hi >= 0 {
			return false
		}
	}
	return sizes != nil
}
