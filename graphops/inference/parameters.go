package inference

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

// parameters lists, by operator, the positions of the inputs that are parameters of a layer, such
// as weight and bias.
var parameters = map[string][]int{
	"BatchNormalization": {1, 2, 3, 4}, "Conv": {1, 2}, "ConvTranspose": {1, 2}, "Gemm": {1, 2}, "GRU": {1, 2, 3},
	"InstanceNormalization": {1, 2}, "LayerNormalization": {1, 2}, "GroupNormalization": {1, 2}, "LSTM": {1, 2, 3}, "PRelu": {1}, "RNN": {1, 2, 3},
}

// KeepsParameters reports whether the model has layers and each of their parameters is an
// initializer, possibly transposed. It is false if one was computed from others by folding.
// Training requires that parameters are separate.
func KeepsParameters(m *graphops.Model) bool {
	found := false
	for _, g := range rewrite.LoadAsIs(m).Graphs() {
		for n := range g.Nodes() {
			at, layer := parameters[n.Op()]
			if !layer || n.Domain() != graphops.DefaultDomain {
				continue
			}
			if g.Place().Function != nil || slices.ContainsFunc(at, func(i int) bool { return n.In(i) != nil && !isParameter(n.In(i)) }) {
				return false
			}
			found = true
		}
	}
	return found
}

// IsParameter reports whether the i-th input of a node is a parameter of a layer.
func IsParameter(n *graphops.Node, i int) bool {
	return n.Domain() == graphops.DefaultDomain && slices.Contains(parameters[n.OpType()], i)
}

// isParameter reports whether a value is an initializer, possibly transposed.
func isParameter(v *rewrite.Value) bool {
	seen := map[*rewrite.Node]bool{} // the file can have a cycle
	for n := v.Producer(); n != nil; n = v.Producer() {
		if seen[n] || !n.Is("Transpose", "Identity") || n.In(0) == nil {
			return false
		}
		seen[n] = true
		v = n.In(0)
	}
	return v.IsInitializer()
}
