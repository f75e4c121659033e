package simplify

import (
	"math"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// affine is the effect of a node on each channel: times scale, plus shift. Each list has one
// number for all channels, or one for each. An empty list means times 1 or plus 0.
type affine struct {
	scale, shift []float64
}

// at returns element i of a list. A list with one element has it at every index, and an empty list
// has otherwise.
func at(list []float64, i int, otherwise float64) float64 {
	switch len(list) {
	case 0:
		return otherwise
	case 1:
		return list[0]
	}
	return list[i]
}

// all returns a list of n elements. A list with one element has it at every index, and an empty
// list has otherwise.
func all(list []float64, n int, otherwise float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = at(list, i, otherwise)
	}
	return out
}

// trains returns the reason why a BatchNormalization does more than scaling and shifting, or an
// empty string.
func trains(n *rewrite.Node) string {
	version := n.Graph().Opset(graphops.DefaultDomain)
	switch {
	case version < 7 && n.Int("is_test", 0) == 0, version >= 14 && n.Int("training_mode", 0) != 0:
		return "it is in training mode"
	case version < 9 && n.Int("spatial", 1) == 0:
		return "it normalizes each position of the image by itself"
	}
	for i := range n.Outputs() {
		if i > 0 && n.Out(i) != nil {
			return "it returns running statistics, as in training mode"
		}
	}
	return ""
}

// batchNormalization returns the effect of a BatchNormalization with constant parameters on a
// layer's channels: scale = gamma/√(variance+epsilon), shift = beta-mean·scale. If it does anything
// else, it returns the reason.
func batchNormalization(n *rewrite.Node, channels int) (a affine, why string) {
	if why := trains(n); why != "" {
		return a, why
	}
	var list [4][]float64 // gamma, beta, mean, variance
	for i := range list {
		c := n.In(i + 1).Constant()
		if c == nil {
			return a, "its parameters are not constants"
		}
		t, ok := n.In(i + 1).Small(int64(channels))
		if !ok || len(c.Dims()) != 1 || c.Dims()[0] != int64(channels) || t.DType.Kind() != tensor.KindFloat {
			return a, "its parameters are not one number for each channel"
		}
		var err error
		if list[i], err = t.Float64s(); err != nil {
			return a, "its parameters cannot be read"
		}
	}
	epsilon := float64(n.Float("epsilon", 1e-5))
	a = affine{make([]float64, channels), make([]float64, channels)}
	for i, v := range list[3] {
		if !(v+epsilon > 0) {
			return a, "a variance is not positive"
		}
		a.scale[i] = list[0][i] / math.Sqrt(v+epsilon)
		a.shift[i] = list[1][i] - list[2][i]*a.scale[i]
	}
	return a, ""
}
