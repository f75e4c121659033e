package simplify

import (
	"lathe/graphops/rewrite"
)

var constantShapes = &pass{
	name:   "constant-shapes",
	title:  "shapes for Reshape and Expand that are computed from other shapes become constants",
	reason: "each size is a number, is the size of the same axis of the input, or follows from the others",
	ops:    []string{"Reshape", "Expand"},
	node: func(_ *job, n *rewrite.Node) string {
		if v := n.In(1); v == nil || v.Producer() == nil || n.Out(0) == nil || n.Graph().Opset("") < sinceReshapeInput {
			return ""
		}
		switch {
		case n.Is("Reshape"):
			return reshapeByConstant(n)
		case n.Is("Expand"):
			return expandByConstant(n)
		}
		return ""
	},
}

func reshapeByConstant(n *rewrite.Node) string {
	become := toReshape(n, n.In(0))
	if become == nil {
		return ""
	}
	become()
	return "the shape became a constant"
}

// expandByConstant replaces the computed shape of an Expand by a constant one. It has 1 for axes
// that do not change.
func expandByConstant(n *rewrite.Node) string {
	in, out := n.In(0).Dims(), n.Out(0).Dims()
	if in == nil || out == nil || len(out) < len(in) || len(out) > mostAxes {
		return ""
	}
	shape := make([]int64, len(out))
	front := len(out) - len(in)
	for i, d := range out {
		size, ok := d.Number()
		switch {
		case i >= front && d.Equal(in[i-front]):
			shape[i] = 1
		case ok:
			shape[i] = size
		default:
			return ""
		}
	}
	n.SetInput(1, newInts(n, n.Out(0).Name()+"_shape", shape...))
	return "the shape became a constant"
}
