package simplify

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var foldTransposes = &pass{
	name:   "fold-transposes",
	title:  "Transposes that move nothing are removed, and consecutive ones become one",
	reason: "elements move to the same positions",
	ops:    []string{"Transpose"},
	node: func(_ *job, n *rewrite.Node) string {
		perm := permOf(n)
		if !n.Is("Transpose") || perm == nil || n.Out(0) == nil {
			return ""
		}
		if isIdentity(perm) && n.PassOn(n.In(0)) {
			return "removed, it moves nothing"
		}
		if readers := n.Out(0).OnlyReaders(0, isTranspose); readers != nil {
			for _, r := range readers {
				transposeBoth(n, r)
			}
			n.Remove()
			return "merged with the next Transpose"
		}
		return undone(n, perm)
	},
}

func isTranspose(n *rewrite.Node) bool { return n.Is("Transpose") && permOf(n) != nil }

// composed returns the permutation that applies two permutations one after the other.
func composed(first, second []int) []int {
	out := make([]int, len(second))
	for i, p := range second {
		out[i] = first[p]
	}
	return out
}

// transposeBoth makes r, which reads n's output, do what both do.
func transposeBoth(n, r *rewrite.Node) {
	setPerm(r, composed(permOf(n), permOf(r)))
	r.SetInput(0, n.In(0))
	r.Stands(n)
	if isIdentity(permOf(r)) {
		r.PassOn(r.In(0))
	}
}

func setPerm(n *rewrite.Node, perm []int) {
	list := make([]int64, len(perm))
	for i, p := range perm {
		list[i] = int64(p)
	}
	n.SetAttribute(graphops.IntsAttribute("perm", list))
}

// undone removes the Transposes that reverse node n, whose output other nodes read too, and returns
// the text for the report.
func undone(n *rewrite.Node, perm []int) string {
	told := ""
	for _, r := range n.Out(0).Readers() {
		if isTranspose(r) && isIdentity(composed(perm, permOf(r))) && r.PassOn(n.In(0)) {
			told = "the Transposes that reverse it were removed"
		}
	}
	return told
}
