package simplify

import "lathe/graphops/rewrite"

var neutralLogic = &pass{
	name:   "neutral-logic",
	title:  "And with true, Or with false and Not of Not are removed",
	reason: "they return their input, in the same shape",
	ops:    []string{"And", "Or", "Not"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("And", "Or", "Not") || n.Out(0) == nil || n.In(0) == nil {
			return ""
		}
		var with *rewrite.Value
		if inner := n.In(0).Producer(); !n.Is("Not") {
			with = besideNeutral(n, n.Is("And"))
		} else if inner.Is("Not") {
			with = inner.In(0)
		}
		if with == nil || !n.Out(0).ReplaceWith(with) {
			return ""
		}
		n.Remove()
		return "removed"
	},
}

// besideNeutral returns the other operand of a node, if one operand is a constant that changes
// nothing: a single element with at most as many axes as the other operand.
func besideNeutral(n *rewrite.Node, neutral bool) *rewrite.Value {
	for i := range 2 {
		constant, other := n.In(i), n.In(1-i)
		if constant == nil || other == nil || constant.Constant() == nil || other.Type().Dims == nil {
			continue
		}
		list, ok := constant.Ints()
		if ok && len(list) == 1 && (list[0] != 0) == neutral && len(constant.Type().Dims) <= len(other.Type().Dims) {
			return other
		}
	}
	return nil
}
