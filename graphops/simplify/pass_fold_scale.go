package simplify

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var foldScale = &pass{
	name:   "fold-scale",
	title:  "a Mul or Div by a constant after a convolution, matrix product or BatchNormalization becomes part of its weights and bias",
	reason: "a sum of products times a constant is the sum of products with scaled factors; only rounding differs",
	after:  []string{"fold-batchnorm"},
	ops:    []string{"Mul", "Div"},
	node: func(j *job, n *rewrite.Node) string {
		l, c := besideConstant(n)
		if l == nil || !n.Is("Mul", "Div") || n.Op() == "Div" && n.In(1) != c {
			return ""
		}
		list := l.perChannel(c)
		if list == nil {
			j.refuse(n, "its constant is not one number for each channel")
			return ""
		}
		if n.Op() == "Div" {
			for i, x := range list {
				list[i] = 1 / x
			}
		}
		return j.tryAbsorb(l, n, affine{scale: list})
	},
}

// besideConstant returns the layer that produces one input of a node with two inputs, and the
// other input, which is a constant. Before version 7 inputs were broadcast differently.
func besideConstant(n *rewrite.Node) (*layer, *rewrite.Value) {
	if len(n.Inputs()) != 2 || n.Out(0) == nil || n.Graph().Opset(graphops.DefaultDomain) < 7 {
		return nil, nil
	}
	for i := range 2 {
		if c := n.In(1 - i); n.In(i) != nil && c.Constant() != nil {
			if l := layerOf(n.In(i)); l != nil {
				return l, c
			}
		}
	}
	return nil, nil
}

// tryAbsorb calls absorb for a pass and returns what was done, or reports the reason why nothing
// was.
func (j *job) tryAbsorb(l *layer, n *rewrite.Node, a affine) string {
	if why := j.absorb(l, n, a); why != "" {
		j.refuse(n, why)
		return ""
	}
	return "into " + l.node.Op()
}
