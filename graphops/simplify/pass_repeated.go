package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var repeatedFunctions = &pass{
	name:   "repeated-functions",
	title:  "pairs of an operator that reverses itself are removed, and operators that change nothing the second time are applied once",
	reason: "Not of Not of x is x, and the absolute value of an absolute value is itself",
	ops:    slices.Concat(undoThemselves, settleAtOnce, []string{"Ceil", "Floor", "Round"}),
	node: func(_ *job, n *rewrite.Node) string {
		p := n.In(0).Producer()
		switch {
		case !n.Is(n.Op()) || p == nil || !p.Is(p.Op()) || n.Out(0) == nil:
		case slices.Contains(undoThemselves, n.Op()) && p.Op() == n.Op() && n.PassOn(p.In(0)):
			return "removed with the node that it reverses"
		case slices.Contains(settleAtOnce, n.Op()) && p.Op() == n.Op() && n.PassOn(n.In(0)):
			return "removed, the node before it has the same effect"
		case n.Is(givesWhole...) && p.Is(givesWhole...) && n.PassOn(n.In(0)):
			return "removed, its input is already rounded"
		}
		return ""
	},
}

var (
	undoThemselves = []string{"Not", "Neg", "BitwiseNot"}
	settleAtOnce   = []string{"Relu", "Abs", "Sign"}
	givesWhole     = []string{"Ceil", "Floor", "Round"}
)
