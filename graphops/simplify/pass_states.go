package simplify

import (
	"math"
	"slices"

	"lathe/graphops/rewrite"
)

var zeroStates = &pass{
	name:   "zero-states",
	title:  "an RNN, GRU or LSTM that starts from zeros is not given them",
	reason: "zeros are what it starts from where nothing is given",
	ops:    []string{"RNN", "GRU", "LSTM"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("RNN", "GRU", "LSTM") {
			return ""
		}
		gone := ""
		for i := 5; i <= 6; i++ { // initial_h, initial_c
			if v := n.In(i); v != nil && isZero(v) {
				n.SetInputs(leaving(n.Inputs(), i)...)
				gone = "its first state is zeros, as without one"
			}
		}
		return gone
	},
}

// leaving is a list of inputs without one of them; none is left out at the end.
func leaving(in []*rewrite.Value, i int) []*rewrite.Value {
	in[i] = nil
	for len(in) > 0 && in[len(in)-1] == nil {
		in = in[:len(in)-1]
	}
	return in
}

// maxMoves is how many nodes that only pass elements on are followed.
const maxMoves = 16

// isZero reports whether all elements of a value are the float 0, whatever its shape.
func isZero(v *rewrite.Value) bool {
	for range maxMoves {
		p := v.Producer()
		switch {
		case p.Is("ConstantOfShape"):
			return fillsZero(p)
		case p.Is("Slice", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Expand", "Identity", "Gather", "Flatten", "Split") && p.In(0) != nil:
			v = p.In(0)
		default:
			return zeroConstant(v)
		}
	}
	return false
}

func fillsZero(n *rewrite.Node) bool {
	a, ok := n.Attribute("value")
	if !ok {
		return true
	}
	if a.Tensor() == nil {
		return false
	}
	t, err := a.Tensor().Data()
	if err != nil || t.Len() > maxCompared {
		return false
	}
	b, err := t.Bytes()
	return err == nil && !slices.ContainsFunc(b, func(b byte) bool { return b != 0 })
}

func zeroConstant(v *rewrite.Value) bool {
	floats, ok := v.Floats()
	for _, f := range floats {
		if math.Float64bits(f) != 0 {
			return false
		}
	}
	return ok
}
