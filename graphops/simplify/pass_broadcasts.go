package simplify

import "lathe/graphops/rewrite"

var spreadOperands = &pass{
	name:   "spread-operands",
	title:  "an Expand before arithmetic is removed where the other operand has the shape already",
	reason: "arithmetic spreads an operand to the shape of the other one by itself",
	ops:    []string{"Add", "Sub", "Mul", "Div", "Where", "And", "Or", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is(n.Op()) || n.Graph().Opset("") < 8 {
			return ""
		}
		text := ""
		for i, v := range n.Inputs() {
			if e := v.Producer(); e.Is("Expand") && e.In(0) != nil && shapedLike(n, i) {
				n.SetInput(i, e.In(0))
				text = "an Expand is not needed"
			}
		}
		return text
	},
}

// shapedLike reports whether another input of a node has the shape of this one. A
// constant does not count, nor one that may be removed in the same way.
func shapedLike(n *rewrite.Node, input int) bool {
	d := n.In(input).Type().Dims
	for i, v := range n.Inputs() {
		if i != input && v != nil && !v.Producer().Is("Expand") && equalDims(v.Type().Dims, d) {
			return true
		}
	}
	return false
}
