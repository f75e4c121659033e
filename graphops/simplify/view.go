package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// since are the versions of the standard from which on parameters are inputs.
const (
	sinceReshapeInput = 5
	sinceSliceInput   = 10
	sincePadInput     = 11
	sinceAxesInput    = 13
	sinceReduceInput  = 18
)

// isView reports whether a node gives the elements of its first input in their order,
// in another shape. A Transpose is one where it moves axes of size 1 alone.
func isView(n *rewrite.Node) bool {
	return n.Is("Reshape", "Flatten", "Squeeze", "Unsqueeze") || n.Is("Transpose") && movesOnesOnly(n)
}

// movesOnesOnly reports whether the axes that are not of size 1 stay in their order.
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

// permOf is the permutation of a Transpose; nil where the rank of its input is not
// known, or where it is none.
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

// isIdentity reports whether a permutation leaves everything where it is.
func isIdentity(perm []int) bool {
	for i, p := range perm {
		if i != p {
			return false
		}
	}
	return true
}

// axesOf are the axes that a node states, by an attribute or an input, as numbers from
// 0; stated is false where it states none, ok is false where they are not known or do
// not fit the rank.
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

// fromZero counts axes from the front; ok is false where one is outside of the rank or
// there twice.
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

// added marks, in what axes a Squeeze or an Unsqueeze makes, one that is new.
const added = -1

// axesMade are the axes of the input that the axes of the output are, added for one of
// size 1 that was not there; nil where the node is another view, or they are not known.
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
			return nil // which may be 1
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

// mostAxes is more axes than any runtime takes.
const mostAxes = 64

// staysAsItIs reports whether views that make these axes of a tensor of a rank make
// nothing else of it.
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

// statedShape is a shape for Reshape that makes one shape of another for all sizes:
// every element a number, 0 where an axis is copied, or the one -1.
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
	// What is left of no elements by an axis of none is not known.
	return list, rest < 0 || least
}

// newInts adds a constant of the graph that a node stands in.
func newInts(n *rewrite.Node, base string, list ...int64) *rewrite.Value {
	return n.Graph().NewConstant(base, tensor.FromSlice(list, int64(len(list))))
}

// withAxes makes a node one that squeezes a value, or unsqueezes it.
func withAxes(n *rewrite.Node, op string, of *rewrite.Value, axes []int64) {
	if n.Graph().Opset("") < sinceAxesInput {
		n.Become(op, []*rewrite.Value{of}, graphops.IntsAttribute("axes", axes))
		return
	}
	n.Become(op, []*rewrite.Value{of, newInts(n, n.Out(0).Name()+"_axes", axes...)})
}
