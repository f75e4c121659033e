package quant

import (
	"slices"
	"strings"

	"lathe/graphops"
)

// integerOps compute with quantized values or convert from and to them. Those
// whose name starts with QLinear do as well.
var integerOps = map[string]bool{
	"QuantizeLinear": true, "DequantizeLinear": true, "DynamicQuantizeLinear": true,
	"MatMulInteger": true, "ConvInteger": true, "MatMulIntegerToFloat": true, "DynamicQuantizeMatMul": true,
	"QAttention": true, "QGemm": true, "DynamicQuantizeLSTM": true, "QEmbedLayerNormalization": true,
	"MatMulNBits": true, "GatherBlockQuantized": true,
}

// IsQuantized reports whether any node of the model computes with quantized
// values.
func IsQuantized(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if integerOps[n.OpType()] || strings.HasPrefix(n.OpType(), "QLinear") {
			return true
		}
	}
	return false
}

// decoding are those of them whose result is one number, whoever computes it.
var decoding = map[string]bool{"DequantizeLinear": true, "GatherBlockQuantized": true, "MatMulInteger": true, "ConvInteger": true}

// Rounds reports whether any node of the model rounds what it reads to the few steps of a
// quantized type, so that a difference in the last digits can become one of a step. A
// model that only reads quantized weights does not.
func Rounds(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if !decoding[n.OpType()] && (integerOps[n.OpType()] || strings.HasPrefix(n.OpType(), "QLinear")) {
			return true
		}
	}
	return false
}

// Computes reports whether a node computes with quantized values, or converts from or to
// them. One that holds bodies does where a node of them does.
func Computes(n *graphops.Node) bool {
	if integerOps[n.OpType()] || strings.HasPrefix(n.OpType(), "QLinear") {
		return true
	}
	for _, g := range n.Graphs() {
		if slices.ContainsFunc(g.Nodes(), Computes) {
			return true
		}
	}
	return false
}
