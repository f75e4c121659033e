package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var repeatedFunctions = &pass{
	name:   "repeated-functions",
	title:  "operators that undo themselves are removed in pairs, and those that change nothing the second time are applied once",
	reason: "not not x is x, and the absolute value of an absolute value is itself",
	ops:    slices.Concat(undoThemselves, settleAtOnce, []string{"Ceil", "Floor", "Round"}),
	node: func(_ *job, n *rewrite.Node) string {
		p := n.In(0).Producer()
		switch {
		case !n.Is(n.Op()) || p == nil || !p.Is(p.Op()) || n.Out(0) == nil:
		case slices.Contains(undoThemselves, n.Op()) && p.Op() == n.Op() && n.PassOn(p.In(0)):
			return "removed with the one that it undoes"
		case slices.Contains(settleAtOnce, n.Op()) && p.Op() == n.Op() && n.PassOn(n.In(0)):
			return "removed, it was applied before"
		case n.Is(givesWhole...) && p.Is(givesWhole...) && n.PassOn(n.In(0)):
			return "removed, what it rounds is whole"
		}
		return ""
	},
}

var (
	undoThemselves = []string{"Not", "Neg", "BitwiseNot"}
	settleAtOnce   = []string{"Relu", "Abs", "Sign"}
	givesWhole     = []string{"Ceil", "Floor", "Round"}
)
