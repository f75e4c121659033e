package quant

import "lathe/graphops"

// transposeObstacle looks at the node alone: whether its input has a quantized
// form is known when it is rewritten.
func transposeObstacle(_ *dynamic, n *graphops.Node) string {
	if !hasInputs(n, 1) {
		return "lacks an input or output"
	}
	return ""
}

// rewriteTranspose transposes the quantized form of the input where there is
// one already; quantizing for a Transpose alone would gain nothing.
func rewriteTranspose(d *dynamic, n *graphops.Node) error {
	if d.transposeCodes(n) {
		d.done(n, weight{})
		return nil
	}
	d.keep(n)
	return nil
}

// transposeCodes emits the node on the quantized form of its input, if there is
// one that it can take: a scale for each column would have to move along.
func (d *dynamic) transposeCodes(n *graphops.Node) bool {
	v, ok := d.values[n.Inputs()[0]]
	if !ok {
		return false
	}
	if v.perChannel {
		d.report.depart(PerChannelActivation)
		return false
	}
	d.passThrough(n, v)
	return true
}
