package quant

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
)

// integerOps compute with quantized values or convert from and to them. Those
// whose name starts with QLinear or QOrdered do as well.
var integerOps = map[string]bool{
	"QuantizeLinear": true, "DequantizeLinear": true, "DynamicQuantizeLinear": true,
	"QuantizeWithOrder": true, "DequantizeWithOrder": true, "QuantizeBFP": true, "DequantizeBFP": true,
	"MatMulInteger": true, "MatMulInteger16": true, "ConvInteger": true, "MulInteger": true, "ReduceSumInteger": true,
	"MatMulIntegerToFloat": true, "DynamicQuantizeMatMul": true,
	"QAttention": true, "QGemm": true, "DynamicQuantizeLSTM": true, "QEmbedLayerNormalization": true, "QMoE": true,
	"MatMulNBits": true, "MatMulNBitsMlp": true, "MatMulNBitsQkv": true, "MatMulBnb4": true, "MatMulFpQ4": true,
	"MatMulBlockQuantizedFp4Weight": true, "MatMulBlockQuantizedFp8Weight": true, "GatherBlockQuantized": true,
}

// integerDomains define the operators above.
var integerDomains = []string{graphops.DefaultDomain, graphops.MicrosoftDomain, "com.ms.internal.nhwc"}

// isInteger reports whether a node itself computes with quantized values, or converts from
// or to them.
func isInteger(n *graphops.Node) bool {
	op := n.OpType()
	return slices.Contains(integerDomains, n.Domain()) &&
		(integerOps[op] || strings.HasPrefix(op, "QLinear") || strings.HasPrefix(op, "QOrdered"))
}

// IsQuantized reports whether any node of the model computes with quantized
// values.
func IsQuantized(m *graphops.Model) bool { return Already(m).Nodes > 0 }

// Standing tells how much of a model computes with quantized values.
type Standing struct {
	Nodes int // that do, in all graphs and functions
	Of    int // nodes that there are
	ops   map[string]int
}

// Already counts the nodes of a model that compute with quantized values, or convert from
// or to them. A call of a function of the model is none of them, whatever it is called:
// what the function consists of is counted.
func Already(m *graphops.Model) Standing {
	s := Standing{ops: map[string]int{}}
	called := map[graphops.FunctionKey]bool{}
	for _, f := range m.Functions() {
		called[f.Key()] = true
	}
	for n := range m.AllNodes() {
		s.Of++
		if isInteger(n) && !called[n.Calls()] {
			s.Nodes++
			s.ops[n.OpType()]++
		}
	}
	return s
}

// fewOps are how many operators String names.
const fewOps = 3

// String is the count with the operators that most of the nodes are of, as in
// "12 of 40 nodes compute with quantized values: 8 DequantizeLinear, 4 QuantizeLinear".
func (s Standing) String() string {
	ops := slices.SortedFunc(maps.Keys(s.ops), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.ops[b], s.ops[a]), cmp.Compare(a, b))
	})
	var told []string
	for _, op := range ops[:min(len(ops), fewOps)] {
		told = append(told, fmt.Sprintf("%d %s", s.ops[op], op))
	}
	if len(ops) > fewOps {
		told = append(told, "and others")
	}
	return fmt.Sprintf("%d of %d nodes compute with quantized values: %s", s.Nodes, s.Of, strings.Join(told, ", "))
}

// moving are operators whose first output holds elements of their first input, and nothing
// else.
var moving = map[string]bool{
	"Transpose": true, "Reshape": true, "Squeeze": true, "Unsqueeze": true, "Flatten": true, "Identity": true,
	"Slice": true, "Gather": true, "Expand": true, "Cast": true,
}

// maxMoves bounds how many nodes that move elements Decoded looks behind.
const maxMoves = 16

// Decoded reports whether a value of a graph is what a DequantizeLinear makes, directly or
// through nodes that move elements: a node that multiplies with it is part of a model
// quantized already, and is not to be quantized again. What an outer graph or a function
// makes is not seen.
func Decoded(g *graphops.Graph, name string) bool {
	x := g.Index()
	for range maxMoves {
		id, ok := x.Value(name)
		if !ok || x.Producer(id) < 0 {
			return false
		}
		switch n := g.Nodes()[x.Producer(id)]; {
		case isInteger(n) && strings.HasPrefix(n.OpType(), "Dequantize"):
			return true
		case moving[n.OpType()] && n.Domain() == graphops.DefaultDomain && len(n.Inputs()) > 0 && n.Outputs()[0] == name:
			name = n.Inputs()[0]
		default:
			return false
		}
	}
	return false
}

// decoding are those of the operators above whose result is one number, whoever computes it.
var decoding = map[string]bool{"DequantizeLinear": true, "GatherBlockQuantized": true, "MatMulInteger": true, "ConvInteger": true}

// Rounds reports whether any node of the model rounds what it reads to the few steps of a
// quantized type, so that a difference in the last digits can become one of a step. A
// model that only reads quantized weights does not.
func Rounds(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if !decoding[n.OpType()] && isInteger(n) {
			return true
		}
	}
	return false
}

// Computes reports whether a node computes with quantized values, or converts from or to
// them. One that holds bodies does where a node of them does.
func Computes(n *graphops.Node) bool {
	if isInteger(n) {
		return true
	}
	for _, g := range n.Graphs() {
		if slices.ContainsFunc(g.Nodes(), Computes) {
			return true
		}
	}
	return false
}
