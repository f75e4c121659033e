package edit

import "lathe/graphops"

// These functions know how operators pass values to their bodies and back by position. An operator
// that is not known here passes nothing by position, and any of its outputs may come from its body.

// bodyInput returns the position of the body's input that receives input k of node n; -1 if none
// does.
func bodyInput(n *graphops.Node, b *graphops.Graph, k int) int {
	if n.Domain() != graphops.DefaultDomain {
		return -1
	}
	switch n.StandardOp() {
	case "Loop": // the number of iterations and the condition are not passed on
		if k < 2 {
			return -1
		}
		return k
	case "Scan": // the first version had an additional first input
		return k - max(len(n.Inputs())-len(b.Inputs()), 0)
	case "SequenceMap":
		return k
	}
	return -1
}

// holderOutputs returns the names of the outputs of node n that receive output k of its body.
func holderOutputs(n *graphops.Node, k int) []string {
	outputs := n.Outputs()
	if n.Domain() != graphops.DefaultDomain {
		return outputs
	}
	switch n.StandardOp() {
	case "Loop": // the first output is the condition
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

// nextInput returns the position of the body's input that receives output k of the body in the next
// iteration; -1 if none does.
func nextInput(n *graphops.Node, b *graphops.Graph, k int) int {
	if n.Domain() != graphops.DefaultDomain {
		return -1
	}
	switch n.StandardOp() {
	case "Loop": // the iteration number, the condition, and the carried values
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
