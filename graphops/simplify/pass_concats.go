package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var foldConcats = &pass{
	name:   "fold-concats",
	title:  "a Concat takes over the inputs of an earlier Concat that nothing else reads, and drops inputs without elements; a Concat that joins all parts of a Split in order becomes the input of the Split",
	reason: "the same elements are in the same order",
	ops:    []string{"Concat"},
	node: func(_ *job, n *rewrite.Node) string {
		axis, ok := concatAxis(n)
		if !ok || n.Out(0) == nil {
			return ""
		}
		if joinsSplit(n, axis) {
			return "removed, it joins all parts of a Split"
		}
		if withoutEmpty(n, axis) {
			return "an input without elements was removed"
		}
		return flattened(n, axis)
	},
}

// concatAxis returns the axis of a Concat, counted from the front.
func concatAxis(n *rewrite.Node) (axis int, ok bool) {
	dims := n.Out(0).Dims()
	if !n.Is("Concat") || dims == nil || n.Graph().Opset("") < 4 { // before that it has a default
		return 0, false
	}
	axes, ok := fromZero([]int64{n.Int("axis", 0)}, len(dims))
	if !ok {
		return 0, false
	}
	return axes[0], true
}

// joinsSplit removes a Concat that joins all parts of a Split in order, and reports whether it did.
func joinsSplit(n *rewrite.Node, axis int) bool {
	first := n.In(0)
	if first == nil || first.Producer() == nil || !first.Producer().Is("Split") {
		return false
	}
	split := first.Producer()
	if departs(split) {
		return false
	}
	cut, ok := fromZero([]int64{split.Int("axis", 0)}, len(n.Out(0).Dims()))
	return ok && cut[0] == axis && slices.Equal(split.Outputs(), n.Inputs()) && n.PassOn(split.In(0))
}

// withoutEmpty removes inputs that have no elements along the axis, and reports whether there were
// any.
func withoutEmpty(n *rewrite.Node, axis int) bool {
	rank := len(n.Out(0).Dims())
	in := slices.DeleteFunc(n.Inputs(), func(v *rewrite.Value) bool {
		d := v.Dims()
		return len(d) == rank && d[axis].Is(0)
	})
	if len(in) == len(n.Inputs()) || len(in) == 0 {
		return false
	}
	n.SetInputs(in...)
	return true
}

// flattened makes a Concat read the inputs of the Concats before it, and returns the text for the
// report.
func flattened(n *rewrite.Node, axis int) string {
	var in []*rewrite.Value
	var inner []*rewrite.Node
	for _, v := range n.Inputs() {
		if v != nil && v.Reader() == n && v.Producer() != nil {
			if a, ok := concatAxis(v.Producer()); ok && a == axis {
				inner = append(inner, v.Producer())
				in = append(in, v.Producer().Inputs()...)
				continue
			}
		}
		in = append(in, v)
	}
	if inner == nil {
		return ""
	}
	n.SetInputs(in...)
	n.Stands(inner...)
	for _, c := range inner {
		c.Remove()
	}
	return "took over the inputs of the Concat before it"
}
