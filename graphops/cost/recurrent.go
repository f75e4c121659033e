package cost

import "lathe/graphops/dim"

var recurrent = family{"RNN": recurrence, "GRU": recurrence, "LSTM": recurrence}

var recurrentMicrosoft = family{"DynamicQuantizeLSTM": recurrence}

// recurrence multiplies, at every step of every sequence, with each element of the
// weights of input and state once, whichever of the first axes is the batch. It
// counts all steps of the longest sequence.
func recurrence(n node) dim.Dim {
	x := n.in(0)
	return axis(x, 0).Mul(axis(x, 1)).Mul(elements(n.in(1)).Add(elements(n.in(2))))
}
