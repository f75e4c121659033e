package simplify

import "lathe/graphops/rewrite"

var constantBranches = &pass{
	name:   "constant-branches",
	title:  "an If whose condition is known becomes the branch that runs",
	reason: "no other branch ever runs",
	ops:    []string{"If"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("If") || n.In(0) == nil || len(n.Bodies()) != 2 {
			return ""
		}
		condition, ok := n.In(0).Ints()
		if !ok || len(condition) != 1 {
			return ""
		}
		body := branch(n, condition[0] != 0)
		if body == nil {
			return ""
		}
		if !n.Inline(body) {
			j.refuse(n, "a result of the branch cannot be an output of the surrounding graph")
			return ""
		}
		return "replaced by its branch"
	},
}

// branch returns the body of the branch of an If that runs if the condition is taken. The order of
// the bodies is that of the attributes, so either may be the first.
func branch(n *rewrite.Node, taken bool) *rewrite.Graph {
	name := "else_branch"
	if taken {
		name = "then_branch"
	}
	i := 0
	for _, a := range n.Attributes() {
		if len(a.Graphs()) != 1 {
			continue
		}
		if a.Name() == name {
			return n.Bodies()[i]
		}
		i++
	}
	return nil
}
