package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var zeroStates = &pass{
	name:   "zero-states",
	title:  "initial states of recurrent operators that are all 0 are left out",
	reason: "0 is what a state begins with where none is given",
	ops:    []string{"RNN", "GRU", "LSTM"},
	node: func(_ *job, n *rewrite.Node) string {
		in := n.Inputs()
		for i := 5; i < min(7, len(in)); i++ {
			if in[i] != nil && filledWith(in[i], 0) {
				in[i] = nil
			}
		}
		if !n.Is("RNN", "GRU", "LSTM") || slices.Equal(in, n.Inputs()) {
			return ""
		}
		for in[len(in)-1] == nil {
			in = in[:len(in)-1]
		}
		n.SetInputs(in...)
		return "begins with zeros by itself"
	},
}
