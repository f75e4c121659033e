package shape

import "slices"

// losses has the rules of losses, which compare the scores of classes, on axis 1, with the correct
// classes.
var losses = family{"NegativeLogLikelihoodLoss": loss, "SoftmaxCrossEntropyLoss": crossEntropy}

func loss(c *call) {
	if x := c.firstRankFrom(2); x != nil {
		c.tolerate(func() { // ONNX Runtime reads as much as there is
			c.expect(1, "the first input without its axis of classes", slices.Concat(x[:1], x[2:])...)
			c.expect(2, "a weight for each class", x[1])
		})
	}
	switch {
	case c.attrText("reduction", "mean") != "none":
		c.outDims(0, numbers())
	case c.dims(1) != nil:
		c.outDims(0, c.dims(1))
	default:
		if x := c.dims(0); len(x) > 1 {
			c.outDims(0, slices.Concat(x[:1], x[2:]))
		}
	}
}

func crossEntropy(c *call) {
	loss(c)
	c.outDims(1, c.dims(0))
}
