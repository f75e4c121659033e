package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var foldTransposeGemm = &pass{
	name:   "fold-transpose-gemm",
	title:  "a Transpose before a Gemm becomes its attribute transA or transB",
	reason: "Gemm can read its factors transposed; only rounding differs",
	after:  []string{"fuse-gemm"},
	ops:    []string{"Gemm"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("Gemm") {
			return ""
		}
		text := ""
		for i, name := range []string{"transA", "transB"} {
			if n.In(i) == nil {
				continue
			}
			t := n.In(i).Producer()
			if !t.Is("Transpose") || !swaps(t) || t.Out(0).Reader() != n || t.Graph() != n.Graph() || t.In(0) == nil {
				continue
			}
			turned := int64(1)
			if n.Int(name, 0) != 0 {
				turned = 0
			}
			n.SetAttribute(graphops.IntAttribute(name, turned))
			n.SetInput(i, t.In(0))
			n.Stands(t)
			t.Remove()
			text = "into Gemm"
		}
		return text
	},
}

// swaps reports whether a Transpose swaps the axes of a matrix. The input of a Gemm is always a
// matrix, so one without perm does.
func swaps(t *rewrite.Node) bool {
	perm, stated := t.Ints("perm")
	return !stated || slices.Equal(perm, []int64{1, 0})
}
