package quant

import "lathe/graphops"

// transposeObstacle checks only the node itself. Whether its input has a quantized form is not
// known before it is rewritten.
func transposeObstacle(_ *scope, n *graphops.Node) string {
	if !hasInputs(n, 1) {
		return "lacks an input or output"
	}
	return ""
}

// rewriteTranspose transposes the quantized form of the input if there is one already.
// Quantizing only for a Transpose would gain nothing.
func rewriteTranspose(s *scope, n *graphops.Node) error {
	if s.transposeCodes(n) {
		s.done(n)
		return nil
	}
	s.keep(n)
	return nil
}

// transposeCodes emits the node on the quantized form of its input, if there is one with a
// single scale. With one scale for each column, the axis of the scales would move too.
func (s *scope) transposeCodes(n *graphops.Node) bool {
	v, ok := s.owner(n.Input(0)).values[n.Input(0)]
	if !ok {
		return false
	}
	if v.perChannel {
		s.report.depart(perChannelActivation)
		return false
	}
	s.passThrough(n, v)
	return true
}
