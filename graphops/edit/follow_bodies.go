package edit

import "lathe/graphops"

// Some operators pass values to their bodies and back by position. For other operators this is not
// known, and only the types declared in their bodies count.

// bodyInput returns the input of its body that receives the node's k-th input, -1 if none does.
func bodyInput(n *graphops.Node, b *graphops.Graph, k int) int {
	if n.Domain() != graphops.DefaultDomain {
		return -1
	}
	switch n.OpType() {
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

// holderOutputs returns the outputs of the node that receive the k-th output of its body.
func holderOutputs(n *graphops.Node, k int) []string {
	outputs := n.Outputs()
	if n.Domain() != graphops.DefaultDomain {
		return outputs
	}
	switch n.OpType() {
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

// nextInput returns the input of a body that receives its k-th output in the next iteration, -1 if
// none does.
func nextInput(n *graphops.Node, b *graphops.Graph, k int) int {
	if n.Domain() != graphops.DefaultDomain {
		return -1
	}
	switch n.OpType() {
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
