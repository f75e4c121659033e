package simplify

import "lathe/graphops/rewrite"

var foldShift = &pass{
	name:   "fold-shift",
	title:  "an Add or Sub of a constant after a convolution, matrix product or BatchNormalization becomes part of its bias",
	reason: "it adds a constant to each channel, as the bias does; only rounding differs",
	after:  []string{"fold-scale"},
	ops:    []string{"Add", "Sub"},
	node: func(j *job, n *rewrite.Node) string {
		l, c := besideConstant(n)
		if l == nil || l.biased == nil || !n.Is("Add", "Sub") {
			return ""
		}
		a := affine{shift: l.perChannel(c)}
		if a.shift == nil {
			j.refuse(n, "its constant is not one number for each channel")
			return ""
		}
		switch {
		case n.Op() == "Sub" && n.In(1) == c:
			for i := range a.shift {
				a.shift[i] = -a.shift[i]
			}
		case n.Op() == "Sub":
			a.scale = []float64{-1}
		}
		return j.tryAbsorb(l, n, a)
	},
}
