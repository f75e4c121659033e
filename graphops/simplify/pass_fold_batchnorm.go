package simplify

import "lathe/graphops/rewrite"

var foldBatchNorm = &pass{
	name:   "fold-batchnorm",
	title:  "a BatchNormalization after a convolution or matrix product becomes part of its weights and bias",
	reason: "it multiplies each channel by a constant and adds a constant, which the weights and the bias of the channel can do too; only rounding differs",
	ops:    []string{"BatchNormalization"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("BatchNormalization") || n.In(0) == nil || n.Out(0) == nil {
			return ""
		}
		l := layerOf(n.In(0))
		if l == nil || l.rank == 0 {
			return ""
		}
		if l.rank-l.axis != 1 {
			j.refuse(n, "it normalizes another axis than the channel axis of the weights")
			return ""
		}
		a, why := batchNormalization(n, l.channels)
		if why != "" {
			j.refuse(n, why)
			return ""
		}
		return j.tryAbsorb(l, n, a)
	},
}
