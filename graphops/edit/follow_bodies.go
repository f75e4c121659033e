package edit

import "lathe/graphops"

// Some operators hand values to their bodies and back by position. That of any
// other is not known: its body declares what it takes.

// bodyInput is the input of its body that the node's k-th input becomes, -1 for
// none.
func bodyInput(n *graphops.Node, b *graphops.Graph, k int) int {
	if n.Domain() != graphops.DefaultDomain {
		return -1
	}
	switch n.OpType() {
	case "Loop": // the count of rounds and the condition are not handed on
		if k < 2 {
			return -1
		}
		return k
	case "Scan": // its first form began with an input of its own
		return k - max(len(n.Inputs())-len(b.Inputs()), 0)
	case "SequenceMap":
		return k
	}
	return -1
}

// holderOutputs are the outputs of the node that the k-th output of its body
// becomes.
func holderOutputs(n *graphops.Node, k int) []string {
	outputs := n.Outputs()
	if n.Domain() != graphops.DefaultDomain {
		return outputs
	}
	switch n.OpType() {
	case "Loop": // the first tells whether there is another round
		k--
	case "If", "Scan", "SequenceMap":
	default:
		return outputs
	}
	if k < 0 || k >= len(outputs) {
		return nil
	}
	return outputs[k : k+1]
}

// nextInput is the input of a body that its k-th output becomes in the next round,
// -1 for none.
func nextInput(n *graphops.Node, b *graphops.Graph, k int) int {
	if n.Domain() != graphops.DefaultDomain {
		return -1
	}
	switch n.OpType() {
	case "Loop": // the round's number, the condition, and what is carried
		if k > 0 && k+1 < len(b.Inputs()) {
			return k + 1
		}
	case "Scan":
		a, ok := n.Attribute("num_scan_inputs")
		if ok && int64(k) < int64(len(b.Inputs()))-a.Int() {
			return k
		}
	}
	return -1
}
