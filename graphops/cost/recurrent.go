package cost

import "lathe/graphops/dim"

var recurrent = family{"RNN": recurrence, "GRU": recurrence, "LSTM": recurrence}

var recurrentMicrosoft = family{"DynamicQuantizeLSTM": recurrence}

// recurrence counts one product for each element of the weights of input and state, at each step of
// each sequence, whichever of the first axes is the batch. All sequences count with the longest
// length.
func recurrence(n node) dim.Dim {
	x := n.in(0)
	return axis(x, 0).Mul(axis(x, 1)).Mul(elements(n.in(1)).Add(elements(n.in(2))))
}
