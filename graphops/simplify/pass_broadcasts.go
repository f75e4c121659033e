package simplify

import "lathe/graphops/rewrite"

var spreadOperands = &pass{
	name:   "spread-operands",
	title:  "an Expand before arithmetic is removed if the other operand already has the shape",
	reason: "arithmetic operators broadcast an operand to the shape of the other one themselves",
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

// shapedLike reports whether another input of a node has the same shape, so that broadcasting
// gives that shape anyway. An input from another Expand does not count, because that Expand may be
// removed for the same reason.
func shapedLike(n *rewrite.Node, input int) bool {
	d := n.In(input).Type().Dims
	for i, v := range n.Inputs() {
		if i != input && v != nil && !v.Producer().Is("Expand") && equalDims(v.Type().Dims, d) {
			return true
		}
	}
	return false
}
