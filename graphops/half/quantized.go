package half

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/rewrite"
)

// hasIntegers reports whether a model may have nodes for which quantized returns a reason: those around
// operators whose names say that they quantize or compute with integers.
func hasIntegers(m *graphops.Model) bool {
	for _, p := range m.Places() {
		for _, op := range p.Graph.Index().Operators() {
			if strings.Contains(op.Name, "uantize") || strings.Contains(op.Name, "Integer") {
				return true
			}
		}
	}
	return false
}

// quantized returns a reason why a node of a quantized model stays in float32, or "". There are
// three reasons. Scales must stay as they are, because the stored integers were computed with them.
// A sum of integer products can exceed the largest float16 before it is scaled. And a runtime
// replaces the nodes between a DequantizeLinear and a QuantizeLinear by kernels for integers, which
// need float32 scales.
func quantized(n *rewrite.Node) string {
	scales := func(v *rewrite.Value) bool { return ofRuntime(v.Producer(), "DynamicQuantizeLinear") }
	sums := func(v *rewrite.Value) bool { return isSum(v.Producer()) }
	switch {
	case ofRuntime(n, "QuantizeLinear", "DequantizeLinear"):
		return "uses a scale that the stored integers were computed with"
	case n.Is("Mul") && slices.ContainsFunc(n.Inputs(), scales):
		return "multiplies scales, whose product is too small for float16"
	case isSum(n), n.Is("Mul") && slices.ContainsFunc(n.Inputs(), sums):
		return "scales a sum of integers, which is too large for float16"
	case ofRuntime(n, n.Op()) && betweenCodes(n):
		return "computes between quantized values"
	}
	return ""
}

// ofRuntime reports whether the node has one of these operators of the standard or of ONNX Runtime.
func ofRuntime(n *rewrite.Node, ops ...string) bool {
	return n.Is(ops...) || n.IsOf(graphops.MicrosoftDomain, ops...)
}

// isSum reports whether the node is a Cast of the result of an integer product.
func isSum(n *rewrite.Node) bool {
	return n.Is("Cast") && n.In(0).Producer().Is("MatMulInteger", "ConvInteger")
}

// betweenCodes reports whether the node reads the output of a DequantizeLinear and only
// QuantizeLinear nodes read its outputs.
func betweenCodes(n *rewrite.Node) bool {
	place := n.Graph().Place()
	if !slices.ContainsFunc(n.Inputs(), func(v *rewrite.Value) bool { return v != nil && quant.Decoded(place.Graph, v.Name()) }) {
		return false
	}
	read := false
	for _, v := range n.Outputs() {
		if v == nil {
			continue
		}
		readers := v.Readers()
		if v.IsOutput() || slices.ContainsFunc(readers, func(r *rewrite.Node) bool { return !ofRuntime(r, "QuantizeLinear") }) {
			return false
		}
		read = read || len(readers) > 0
	}
	return read
}
