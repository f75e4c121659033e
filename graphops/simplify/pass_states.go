package simplify

import "lathe/graphops/rewrite"

var zeroStates = &pass{
	name:   "zero-states",
	title:  "an initial state of zeros is removed from an RNN, GRU or LSTM",
	reason: "without an initial state it starts from zeros; for a state of -0, the sign of a zero in the result may differ",
	ops:    []string{"RNN", "GRU", "LSTM"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("RNN", "GRU", "LSTM") {
			return ""
		}
		gone := ""
		for i := 5; i <= 6; i++ { // initial_h, initial_c
			if v := n.In(i); v != nil && filledWith(v, 0) {
				n.SetInput(i, nil)
				gone = "its initial state of zeros was removed"
			}
		}
		return gone
	},
}
