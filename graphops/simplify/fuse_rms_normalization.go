package simplify

import "lathe/graphops/rewrite"

var rmsNormalization = &pass{
	name: "rms-normalization",
	title: "x/√(mean(x²)+ε)·scale becomes RMSNormalization; below opset 23 it becomes SimplifiedLayerNormalization, " +
		"which only ONNX Runtime has, in the standard's domain",
	reason: "the operators compute the same formula up to rounding; in half precision the mean is computed in 32 bits, " +
		"so that squares do not overflow",
	after:    []string{"layer-normalization"},
	optional: true,
	ops:      []string{"Div", "Mul"},
	node: func(j *job, n *rewrite.Node) string {
		if n.Graph().Opset("") < modern || n.Out(0) == nil {
			return ""
		}
		q := quotientAt(n)
		if q == nil {
			return ""
		}
		r := &normalization{quotient: *q, x: q.top}
		if r.uncast(q.top) != r.uncast(q.squared) || centredAt(n) != nil {
			return ""
		}
		r.follow(false)
		return r.settle(j, offer{"", "RMSNormalization"}, offer{"", "SimplifiedLayerNormalization"})
	},
}
