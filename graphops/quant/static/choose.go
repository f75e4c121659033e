package static

import (
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// mainGraph is the number of the only place in which nodes are quantized.
const mainGraph = 0

// choose decides which nodes are marked.
func (k *marker) choose() error {
	known := map[string]bool{}
	for _, n := range k.nodes {
		known[n.Name()] = true
	}
	for _, name := range slices.Concat(k.o.Include, k.o.Exclude) {
		if !known[name] {
			return &graphops.UnknownNameError{What: "node", Name: name, Nearest: graphops.NearestNames(name, maps.Keys(known))}
		}
	}
	for i, n := range k.nodes {
		_, ruled := rules[n.OpType()]
		if ruled && n.Domain() != domainOf(n.OpType()) {
			k.report.depart(foreignDomain)
		}
		if !k.o.wants(n) {
			continue
		}
		switch reason := k.obstacle(n); reason {
		case "":
			k.chosen[i] = true
		default:
			k.report.Skipped = append(k.report.Skipped, quant.Skipped{Index: i, Node: n.Name(), Op: n.OpType(), Reason: reason})
		}
	}
	return nil
}

func (k *marker) obstacle(n *graphops.Node) string {
	switch {
	case slices.Contains(k.o.Exclude, n.Name()):
		return "is excluded"
	case len(k.o.Include) > 0 && !slices.Contains(k.o.Include, n.Name()):
		return "is not among the nodes to include"
	case n.Input(0) == "" || n.Output(0) == "":
		return "lacks an input or output"
	case len(n.Inputs()) < leastInputs[n.OpType()]:
		return "lacks an input"
	case k.emptyFloats(n.Input(0)) || k.emptyFloats(n.Output(0)):
		k.report.depart(emptyValue)
		return "reads or produces a value without elements"
	}
	for _, name := range n.Inputs() {
		if reason := k.notFinite.Reason(mainGraph, name); reason != "" {
			return reason
		}
	}
	return ""
}

// emptyFloats reports whether a value is float32 and has no elements.
func (k *marker) emptyFloats(name string) bool { return k.empty[name] && k.types[name] == tensor.F32 }

// leastInputs has the number of inputs that the rule of an operator needs, if it is not 1.
var leastInputs = map[string]int{
	"Conv": 2, "ConvTranspose": 2, "Gemm": 2, "MatMul": 2, "Where": 3,
	"InstanceNormalization": 3, "LayerNormalization": 2, "BatchNormalization": 5,
}
