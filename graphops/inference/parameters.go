package inference

import (
	"slices"

	"lathe/graphops"
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
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			at, layer := parameters[n.OpType()]
			if !layer || n.Domain() != graphops.DefaultDomain {
				continue
			}
			if p.Function != nil || slices.ContainsFunc(at, func(i int) bool { return i < len(n.Inputs()) && n.Inputs()[i] != "" && !isParameter(p, n.Inputs()[i]) }) {
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

// isParameter reports whether a value is an initializer, possibly transposed, of the place or of
// one that encloses it.
func isParameter(p *graphops.Place, name string) bool {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		id, ok := x.Value(name)
		if !ok || !x.IsDefined(id) {
			continue
		}
		if x.IsInitializer(id) {
			return true
		}
		at := x.Producer(id)
		if at < 0 {
			return false
		}
		n := p.Graph.Nodes()[at]
		return (n.Is("Transpose") || n.Is("Identity")) && len(n.Inputs()) == 1 && isParameter(p, n.Inputs()[0])
	}
	return false
}
