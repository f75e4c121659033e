package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var transposesIntoGemm = &pass{
	name:   "transposes-into-gemm",
	title:  "a Transpose of what Gemm multiplies becomes its transA or transB",
	reason: "the same numbers are multiplied; the sums may round differently",
	after:  []string{"fold-transposes"},
	ops:    []string{"Transpose"},
	node: func(_ *job, n *rewrite.Node) string {
		if !isTranspose(n) || !slices.Equal(permOf(n), []int{1, 0}) || n.Out(0) == nil {
			return ""
		}
		v := n.Out(0)
		if v.Uses() == 0 || v.IsOutput() {
			return ""
		}
		for _, r := range v.Readers() {
			if !r.Is("Gemm") || r.In(2) == v {
				return ""
			}
		}
		for _, r := range v.Readers() {
			for i, name := range []string{"transA", "transB"} {
				if r.In(i) == v {
					r.SetAttribute(graphops.IntAttribute(name, 1-min(r.Int(name, 0), 1)))
					r.SetInput(i, n.In(0))
				}
			}
			r.Stands(n)
		}
		n.Remove()
		return "became an attribute of Gemm"
	},
}
