package half

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
)

// quantized returns a reason why a node of a quantized model stays in float32, or "". There are
// three reasons. Scales must stay as they are, because the stored integers were computed with them.
// A sum of integer products can exceed the largest float16 before it is scaled. And a runtime
// replaces the nodes between a DequantizeLinear and a QuantizeLinear by kernels for integers, which
// need float32 scales.
func quantized(p *graphops.Place, n *graphops.Node) string {
	switch {
	case !ofRuntime(n):
		return ""
	case n.OpType() == "QuantizeLinear", n.OpType() == "DequantizeLinear":
		return "uses a scale that the stored integers were computed with"
	case n.Is("Mul") && slices.ContainsFunc(n.Inputs(), func(name string) bool { return isFoundScale(producer(p, name)) }):
		return "multiplies scales, whose product is too small for float16"
	case isSum(p, n), n.Is("Mul") && slices.ContainsFunc(n.Inputs(), func(name string) bool { return isSum(p, producer(p, name)) }):
		return "scales a sum of integers, which is too large for float16"
	case betweenCodes(p, n):
		return "computes between quantized values"
	}
	return ""
}

func ofRuntime(n *graphops.Node) bool {
	return n.Domain() == graphops.DefaultDomain || n.Domain() == graphops.MicrosoftDomain
}

// producer returns the node of the place that produces the value; nil if there is none.
func producer(p *graphops.Place, name string) *graphops.Node {
	x := p.Graph.Index()
	if id, ok := x.Value(name); ok && name != "" && x.Producer(id) >= 0 {
		return p.Graph.Nodes()[x.Producer(id)]
	}
	return nil
}

// isFoundScale reports whether the node computes a scale during the run.
func isFoundScale(n *graphops.Node) bool {
	return n != nil && ofRuntime(n) && n.Is("DynamicQuantizeLinear")
}

// isSum reports whether the node is a Cast of the result of an integer product.
func isSum(p *graphops.Place, n *graphops.Node) bool {
	if n == nil || !n.Is("Cast") || len(n.Inputs()) == 0 {
		return false
	}
	from := producer(p, n.Inputs()[0])
	return from != nil && ofRuntime(from) && (from.Is("MatMulInteger") || from.Is("ConvInteger"))
}

// betweenCodes reports whether the node reads the output of a DequantizeLinear and only
// QuantizeLinear nodes read its outputs.
func betweenCodes(p *graphops.Place, n *graphops.Node) bool {
	if !slices.ContainsFunc(n.Inputs(), func(name string) bool { return quant.Decoded(p.Graph, name) }) {
		return false
	}
	x := p.Graph.Index()
	read := false
	for _, name := range n.Outputs() {
		id, ok := x.Value(name)
		if !ok || name == "" {
			continue
		}
		if x.IsOutput(id) {
			return false
		}
		for _, i := range x.Readers(id) {
			r := p.Graph.Nodes()[i]
			if r.OpType() != "QuantizeLinear" || !ofRuntime(r) {
				return false
			}
			read = true
		}
	}
	return read
}
