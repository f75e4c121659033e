package simplify

import "lathe/graphops/rewrite"

// departs reports whether ONNX Runtime 1.30 computes something other than the standard for a node.
// Such a node is not simplified, because the result would be right for only one of the two.
func departs(n *rewrite.Node) bool {
	switch {
	case n.Is("Split"):
		outputs := int64(len(n.Outputs()))
		return n.In(1) == nil && n.Int("num_outputs", outputs) != outputs
	case n.Is("Squeeze"):
		list, stated, ok := axesOf(n, 1, 0)
		return stated && ok && len(list) == 0
	}
	return false
}
