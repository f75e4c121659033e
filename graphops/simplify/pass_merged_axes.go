package simplify

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// partMergedAxes handles products of batches of matrices that are written for an operator which
// supports only three axes: a view merges batch and heads into one axis, and another one splits
// them again after the product.
var partMergedAxes = &pass{
	name:   "part-merged-axes",
	title:  "products and elementwise operators between a Reshape that merges two axes and a Reshape that splits them again use both axes, without the Reshapes",
	reason: "the same matrices are multiplied in the same order, whether they are counted along one axis or along two",
	after:  []string{"fold-reshapes"},
	ops:    []string{"Reshape", "Unsqueeze"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("Reshape", "Unsqueeze") || n.Out(0) == nil || !mergesAxes(n.Out(0).Dims(), n.In(0).Dims()) {
			return ""
		}
		r := &region{axes: n.Out(0).Dims()[:2]}
		if !r.climb(n.In(0), n) || r.products == 0 || !n.Out(0).CanBecome(n.In(0)) {
			return ""
		}
		for _, part := range r.parts {
			part()
		}
		for _, view := range r.views {
			n.Stands(view)
			if view.Out(0).Uses() == 0 {
				view.Remove()
			}
		}
		n.In(0).Producer().Stands(n)
		n.PassOn(n.In(0))
		return "its axes are no longer merged before it"
	},
}

// mergesAxes reports whether merging the first two of four axes gives the three axes.
func mergesAxes(four, three []dim.Dim) bool {
	if len(four) != 4 || len(three) != 3 {
		return false
	}
	for _, d := range four {
		if d.Err() != nil {
			return false
		}
	}
	return equalDims(three, []dim.Dim{four[0].Mul(four[1]), four[2], four[3]})
}

// region is the set of nodes between the views that merge two axes and the view that splits them.
type region struct {
	axes     []dim.Dim // the two axes
	products int
	// parts change the nodes to have both axes. views are then no longer needed.
	parts []func()
	views []*rewrite.Node
	seen  int
}

// mostParted is the maximum number of nodes of a region.
const mostParted = 16

// climb goes back from a value, which only reader reads, to the views that merge the axes. It
// returns false if a node needs the merged axis.
func (r *region) climb(v *rewrite.Value, reader *rewrite.Node) bool {
	n := v.Producer()
	if r.seen++; r.seen > mostParted || n == nil || n.Graph() != reader.Graph() || n.Out(0) != v || len(v.Dims()) != 3 {
		return false
	}
	if isView(n) && mergesAxes(n.In(0).Dims(), v.Dims()) && equalDims(n.In(0).Dims()[:2], r.axes) {
		r.views = append(r.views, n)
		r.parts = append(r.parts, func() { readInstead(reader, v, n.In(0)) })
		return true
	}
	return v.Reader() == reader && r.widen(n)
}

// readInstead makes a node read v instead of old.
func readInstead(n *rewrite.Node, old, v *rewrite.Value) {
	for i, in := range n.Inputs() {
		if in == old {
			n.SetInput(i, v)
		}
	}
}

// widen records how to give a node and its inputs both axes.
func (r *region) widen(n *rewrite.Node) bool {
	d := n.Out(0).Dims()
	t := n.Out(0).Type()
	t.Dims = []dim.Dim{r.axes[0], r.axes[1], d[1], d[2]}
	switch {
	case n.Is("MatMul") && len(n.Inputs()) == 2 && n.In(0) != n.In(1):
		r.products++
		r.retype(n, t)
		return r.climb(n.In(0), n) && r.climb(n.In(1), n)
	case n.Is("Transpose") && transposes(n, []int64{0, 2, 1}):
		r.retype(n, t, graphops.IntsAttribute("perm", permSwapped))
		return r.climb(n.In(0), n)
	case n.Is("Softmax", "LogSoftmax") && lastAxis(n):
		r.retype(n, t, graphops.IntAttribute("axis", 3))
		return r.climb(n.In(0), n)
	}
	i := batchedInput(n)
	if i < 0 {
		return false
	}
	r.retype(n, t)
	return r.climb(n.In(i), n)
}

// batchedInput returns the index of the one input of an elementwise node that has more than two
// axes, or -1 if none or several have.
func batchedInput(n *rewrite.Node) int {
	if n.Is("Add", "Sub", "Mul", "Div") && len(n.Inputs()) == 2 {
		for i := range 2 {
			if other := n.In(1 - i).Dims(); other != nil && len(other) <= 2 && n.In(i).SameSizes(n.Out(0)) {
				return i
			}
		}
	}
	if n.Is("Transpose", "Squeeze", "Unsqueeze") {
		return -1
	}
	return transposedInput(n)
}

// retype records the new type of a node's output, and a changed attribute if there is one.
func (r *region) retype(n *rewrite.Node, t shape.Type, with ...*graphops.Attribute) {
	r.parts = append(r.parts, func() {
		n.Out(0).SetType(t)
		for _, a := range with {
			n.SetAttribute(a)
		}
	})
}
