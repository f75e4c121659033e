package sensitivity

import (
	"math"
	"slices"

	"lathe/graphops"
)

// result returns the mean square of the result of an operator.
func (e *energies) result(n *graphops.Node, in []operand) float64 {
	first := in[0].energy
	switch op := n.OpType(); op {
	case "MatMul", "Gemm", "Conv", "ConvTranspose":
		return e.product(n, in)
	case "Add", "Sub", "Sum":
		return sum(in)
	case "Mul":
		out := 1.0
		for _, x := range in {
			out *= x.energy
		}
		return out
	case "Div":
		if len(in) == 2 {
			return in[0].energy / in[1].energy
		}
	case "Pow":
		if len(in) == 2 {
			return math.Pow(first, math.Sqrt(in[1].energy))
		}
	case "Reciprocal":
		return 1 / first
	case "Sqrt":
		return math.Sqrt(first)
	case "Relu", "Gelu", "FastGelu", "QuickGelu", "BiasGelu", "Elu", "LeakyRelu", "Silu", "Swish", "Mish", "HardSwish":
		return first / 2
	case "Cos", "Sin":
		return 0.5
	case "Tanh", "Erf", "Sigmoid", "HardSigmoid", "Softmax", "LSTM", "GRU", "RNN":
		return min(first, 1)
	case "LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "BatchNormalization", "InstanceNormalization", "GroupNormalization":
		return normalized(in)
	case "ReduceMean":
		if e.averages(n) {
			return first / e.width(in[0].name)
		}
	}
	return mean(in)
}

// mean returns the mean of what is computed, or of all if nothing is.
func mean(in []operand) float64 {
	of := slices.DeleteFunc(slices.Clone(in), func(x operand) bool { return !x.computed })
	if len(of) == 0 {
		of = in
	}
	return sum(of) / float64(len(of))
}

// normalized returns the mean square after a normalization, which follows from its scale and bias.
func normalized(in []operand) float64 {
	scale, bias := 1.0, 0.0
	for _, x := range in {
		switch x.at {
		case 1:
			scale = x.energy
		case 2:
			bias = x.energy
		}
	}
	return scale + bias
}

// averages reports whether a ReduceMean adds numbers of both signs.
func (e *energies) averages(n *graphops.Node) bool {
	if len(n.Inputs()) == 0 { // such a node does not run
		return true
	}
	from := e.made[n.Input(0)]
	return from == nil || !from.Is("Pow")
}

// product returns the mean square of a sum of products, and of the bias.
func (e *energies) product(n *graphops.Node, in []operand) float64 {
	out := 0.0
	if len(in) > 2 {
		out = in[2].energy
	}
	if len(in) < 2 {
		return in[0].energy
	}
	return out + in[0].energy*in[1].energy*e.terms(n, in)
}

// terms returns how many products a result adds up. A mean weighted by a Softmax counts as one product.
func (e *energies) terms(n *graphops.Node, in []operand) float64 {
	w := in[1].tensor
	switch {
	case w != nil && len(w.Dims()) >= 2 && (n.Is("Conv") || n.Is("Gemm")):
		count, _ := w.Elements() // 0 if there are more than 64 bits can count; such a model does not load
		d := w.Dims()[0]
		if a, ok := n.Attribute("transB"); n.Is("Gemm") && (!ok || a.Int() == 0) {
			d = w.Dims()[1]
		}
		return float64(count) / float64(max(d, 1))
	case w != nil && len(w.Dims()) >= 2:
		return float64(w.Dims()[len(w.Dims())-2])
	}
	if from := e.made[in[0].name]; from != nil && from.Is("Softmax") && len(from.Inputs()) > 0 {
		return min(1, math.Exp(e.of[from.Input(0)])/e.width(in[0].name)) / max(in[0].energy, 1e-9)
	}
	return e.width(in[0].name)
}

func sum(in []operand) (total float64) {
	for _, x := range in {
		total += x.energy
	}
	return total
}
