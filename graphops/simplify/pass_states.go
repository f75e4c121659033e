package simplify

import "lathe/graphops/rewrite"

var zeroStates = &pass{
	name:   "zero-states",
	title:  "an RNN, GRU or LSTM that starts from zeros is not given them",
	reason: "zeros are what it starts from where nothing is given; of a state of -0, the sign of a zero that comes out may differ",
	ops:    []string{"RNN", "GRU", "LSTM"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("RNN", "GRU", "LSTM") {
			return ""
		}
		gone := ""
		for i := 5; i <= 6; i++ { // initial_h, initial_c
			if v := n.In(i); v != nil && filledWith(v, 0) {
				n.SetInput(i, nil)
				gone = "its first state is zeros, as without one"
			}
		}
		return gone
	},
}
