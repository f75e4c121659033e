package cost

import "lathe/graphops/dim"

var recurrent = family{"RNN": recurrence, "GRU": recurrence, "LSTM": recurrence}

var recurrentMicrosoft = family{"DynamicQuantizeLSTM": recurrence}

// recurrence is the formula of recurrent layers. Each step of each sequence multiplies each element
// of both weights once. Shorter sequences of a batch count with the full length. Whether the first
// or the second axis is the batch makes no difference.
func recurrence(n node) dim.Dim {
	x := n.in(0)
	return axis(x, 0).Mul(axis(x, 1)).Mul(elements(n.in(1)).Add(elements(n.in(2))))
}
