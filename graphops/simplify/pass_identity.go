package simplify

import "lathe/graphops/rewrite"

var identity = &pass{
	name:   "identity",
	title:  "Identity nodes are removed",
	reason: "their output is their input",
	ops:    []string{"Identity"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("Identity") || n.Out(0) == nil || n.In(0) == nil || !n.Out(0).ReplaceWith(n.In(0)) {
			return ""
		}
		n.Remove()
		return "removed"
	},
}
