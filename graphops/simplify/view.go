package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// The versions of the standard from which parameters are inputs.
const (
	sinceReshapeInput = 5
	sinceSliceInput   = 10
	sincePadInput     = 11
	sinceAxesInput    = 13
	sinceReduceInput  = 18
)

// isView reports whether a node returns the elements of its first input in order, with another
// shape. A Transpose is a view if it only moves axes of size 1.
func isView(n *rewrite.Node) bool {
	return n.Is("Reshape", "Flatten", "Squeeze", "Unsqueeze") || n.Is("Transpose") && movesOnesOnly(n)
}

// movesOnesOnly reports whether the axes with a size other than 1 keep their order.
func movesOnesOnly(n *rewrite.Node) bool {
	perm, dims := permOf(n), n.In(0).Dims()
	if perm == nil {
		return false
	}
	last := -1
	for _, axis := range perm {
		if dims[axis].Is(1) {
			continue
		}
		if axis < last {
			return false
		}
		last = axis
	}
	return true
}

// permOf returns the permutation of a Transpose; nil if it is invalid, or if the rank of its
// input is unknown.
func permOf(n *rewrite.Node) []int {
	dims := n.In(0).Dims()
	if dims == nil {
		return nil
	}
	perm := make([]int, len(dims))
	list, stated := n.Ints("perm")
	if !stated {
		for i := range perm {
			perm[i] = len(perm) - 1 - i
		}
		return perm
	}
	seen := make([]bool, len(dims))
	if len(list) != len(dims) {
		return nil
	}
	for i, axis := range list {
		if axis < 0 || axis >= int64(len(dims)) || seen[axis] {
			return nil
		}
		seen[axis], perm[i] = true, int(axis)
	}
	return perm
}

// isIdentity reports whether a permutation changes nothing.
func isIdentity(perm []int) bool {
	for i, p := range perm {
		if i != p {
			return false
		}
	}
	return true
}

// axesOf returns the axes of a node, from an attribute or an input, as numbers from 0. stated is
// false if it has none. ok is false if they are unknown or do not fit the rank.
func axesOf(n *rewrite.Node, input, rank int) (axes []int, stated, ok bool) {
	list, stated := n.Ints("axes")
	if v := n.In(input); !stated && v != nil {
		if list, ok = v.Ints(); !ok {
			return nil, true, false
		}
		stated = true
	}
	if !stated {
		return nil, false, true
	}
	axes, ok = fromZero(list, rank)
	return axes, true, ok
}

// fromZero counts axes from the front. ok is false if one is out of range or occurs twice.
func fromZero(list []int64, rank int) (axes []int, ok bool) {
	seen := make([]bool, rank)
	for _, a := range list {
		if a < 0 {
			a += int64(rank)
		}
		if a < 0 || a >= int64(rank) || seen[a] {
			return nil, false
		}
		seen[a] = true
		axes = append(axes, int(a))
	}
	return axes, true
}

// added marks a new axis in the result of axesMade.
const added = -1

// axesMade returns, for each axis of the output, the axis of the input that it is, and added for a
// new axis of size 1. It returns nil if the node is another kind of view, or if the axes are
// unknown.
func axesMade(n *rewrite.Node) []int {
	dims := n.In(0).Dims()
	if dims == nil {
		return nil
	}
	switch {
	case n.Is("Transpose"):
		return permOf(n)
	case n.Is("Squeeze"):
		return axesLeft(n, dims)
	case n.Is("Unsqueeze"):
		return axesWidened(n, len(dims))
	}
	return nil
}

func axesLeft(n *rewrite.Node, dims []dim.Dim) []int {
	axes, stated, ok := axesOf(n, 1, len(dims))
	if !ok || departs(n) {
		return nil
	}
	out := []int{}
	for i, d := range dims {
		switch {
		case stated && slices.Contains(axes, i), !stated && d.Is(1):
		case !stated && !d.AtLeast(dim.Number(2)):
			return nil // it may be 1
		default:
			out = append(out, i)
		}
	}
	return out
}

func axesWidened(n *rewrite.Node, rank int) []int {
	list, _ := n.Ints("axes")
	if v := n.In(1); v != nil {
		list, _ = v.Ints()
	}
	if len(list) > mostAxes {
		return nil
	}
	axes, ok := fromZero(list, rank+len(list))
	if !ok || len(list) == 0 {
		return nil
	}
	out, next := []int{}, 0
	for i := range rank + len(axes) {
		if slices.Contains(axes, i) {
			out = append(out, added)
			continue
		}
		out = append(out, next)
		next++
	}
	return out
}

// mostAxes is more axes than any runtime supports.
const mostAxes = 64

// staysAsItIs reports whether views that result in these output axes leave a tensor of a rank
// unchanged.
func staysAsItIs(made []int, rank int) bool {
	if len(made) != rank {
		return false
	}
	for i, axis := range made {
		if axis != i && (axis != added || slices.Contains(made, i)) {
			return false
		}
	}
	return true
}

// statedShape returns a shape parameter for Reshape that converts one shape to another for all
// sizes: every element is a number, 0 to copy an axis, or -1 once.
func statedShape(from, to []dim.Dim) (list []int64, ok bool) {
	if from == nil || to == nil || len(to) > mostAxes {
		return nil, false
	}
	rest, least := -1, true
	list = make([]int64, len(to))
	for i, d := range to {
		n, number := d.Number()
		copied := i < len(from) && d.Equal(from[i])
		switch {
		case number && n > 0:
			list[i] = n
		case copied:
			list[i] = 0
			least = least && d.AtLeast(dim.Number(1))
		case number || d.Err() != nil || rest >= 0:
			return nil, false
		default:
			rest, list[i] = i, -1
		}
	}
	// With a size of 0 among the others, the size for -1 could not be determined.
	return list, rest < 0 || least
}

// newInts adds a constant to the graph of a node.
func newInts(n *rewrite.Node, base string, list ...int64) *rewrite.Value {
	return n.Graph().NewConstant(base, tensor.FromSlice(list, int64(len(list))))
}

// withAxes makes a node a Squeeze or Unsqueeze of a value.
func withAxes(n *rewrite.Node, op string, of *rewrite.Value, axes []int64) {
	if n.Graph().Opset("") < sinceAxesInput {
		n.Become(op, []*rewrite.Value{of}, graphops.IntsAttribute("axes", axes))
		return
	}
	n.Become(op, []*rewrite.Value{of, newInts(n, n.Out(0).Name()+"_axes", axes...)})
}
