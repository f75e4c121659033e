package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

var foldReductions = &pass{
	name:   "fold-reductions",
	title:  "reductions over axes of size 1 become a Squeeze or are removed; a Squeeze, Unsqueeze or Reshape that drops or adds the axes of a reduction before it becomes its keepdims",
	reason: "the sum, mean, product, maximum or minimum of one number is that number, except that the sum of -0 may be 0",
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is(reductions...) || n.Out(0) == nil || n.In(0).Dims() == nil || n.Out(0).Uses() == 0 {
			return ""
		}
		axes, ok := reducedAxes(n)
		if !ok {
			return ""
		}
		if told := reducesNothing(n, axes); told != "" {
			return told
		}
		return keptByView(n, axes)
	},
}

// reductions are the operators that compute one number from all elements along some axes.
var reductions = []string{
	"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
	"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin",
}

// ofOneIsItself are the reductions that return a single number unchanged.
var ofOneIsItself = []string{"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"}

// reducedAxes returns the axes of a reduction. ok is false if they are unknown.
func reducedAxes(n *rewrite.Node) (axes []int, ok bool) {
	rank := len(n.In(0).Dims())
	if n.Is("ArgMax", "ArgMin") {
		return fromZero([]int64{n.Int("axis", 0)}, rank)
	}
	axes, _, ok = axesOf(n, 1, rank)
	if ok && len(axes) == 0 && n.Int("noop_with_empty_axes", 0) == 0 {
		for i := range rank {
			axes = append(axes, i)
		}
	}
	return axes, ok
}

func reducesNothing(n *rewrite.Node, axes []int) string {
	dims := n.In(0).Dims()
	if !n.Is(ofOneIsItself...) || slices.ContainsFunc(axes, func(a int) bool { return !dims[a].Is(1) }) {
		return ""
	}
	if n.Int("keepdims", 1) != 0 || len(axes) == 0 {
		if n.PassOn(n.In(0)) {
			return "removed, the reduced axes have size 1"
		}
		return ""
	}
	gone := make([]int64, len(axes))
	for i, a := range axes {
		gone[i] = int64(a)
	}
	slices.Sort(gone)
	withAxes(n, "Squeeze", n.In(0), gone)
	return "became Squeeze, the reduced axes have size 1"
}

// keptByView changes keepdims of a reduction so that the view after it is no longer needed. The
// view must be the only node that reads the result.
func keptByView(n *rewrite.Node, axes []int) string {
	r := n.Out(0).Reader()
	if r == nil || !isView(r) || r.In(0) != n.Out(0) || r.Graph() != n.Graph() || r.Out(0) == nil || len(axes) == 0 {
		return ""
	}
	keep := n.Int("keepdims", 1) == 0
	wanted := reducedShape(n.In(0).Dims(), axes, keep)
	same := slices.EqualFunc(wanted, r.Out(0).Dims(), dim.Dim.Equal) && r.Out(0).Dims() != nil
	if !same && !viewsAxes(r, axes, len(n.In(0).Dims()), keep) {
		return ""
	}
	t := n.Out(0).Type()
	t.Dims = wanted
	n.Out(0).SetType(t)
	flag := int64(0)
	if keep {
		flag = 1
	}
	n.SetAttribute(graphops.IntAttribute("keepdims", flag))
	r.PassOn(n.Out(0)) // nothing else uses it
	return "its keepdims replaces the node after it"
}

// reducedShape returns the sizes after a reduction, with 1 for axes that are kept.
func reducedShape(dims []dim.Dim, axes []int, keep bool) []dim.Dim {
	out := []dim.Dim{}
	for i, d := range dims {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case keep:
			out = append(out, dim.Number(1))
		}
	}
	return out
}

// viewsAxes reports whether a view adds the axes that a reduction dropped, or drops those that
// it kept.
func viewsAxes(r *rewrite.Node, axes []int, rank int, keep bool) bool {
	made := axesMade(r)
	if made == nil || r.Is("Transpose") {
		return false
	}
	var want []int
	next := 0
	for i := range rank {
		switch reduced := slices.Contains(axes, i); {
		case keep && reduced:
			want = append(want, added)
		case keep:
			want = append(want, next)
			next++
		case !reduced:
			want = append(want, i)
		}
	}
	return slices.Equal(made, want)
}
