package quant

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
)

// integerOps lists operators that compute with quantized values or convert from or to them.
// Operators whose names start with QLinear or QOrdered do so too.
var integerOps = map[string]bool{
	"QuantizeLinear": true, "DequantizeLinear": true, "DynamicQuantizeLinear": true,
	"QuantizeWithOrder": true, "DequantizeWithOrder": true, "QuantizeBFP": true, "DequantizeBFP": true,
	"MatMulInteger": true, "MatMulInteger16": true, "ConvInteger": true, "MulInteger": true, "ReduceSumInteger": true,
	"MatMulIntegerToFloat": true, "DynamicQuantizeMatMul": true,
	"QAttention": true, "QGemm": true, "DynamicQuantizeLSTM": true, "QEmbedLayerNormalization": true, "QMoE": true,
	"MatMulNBits": true, "MatMulNBitsMlp": true, "MatMulNBitsQkv": true, "MatMulBnb4": true, "MatMulFpQ4": true,
	"MatMulBlockQuantizedFp4Weight": true, "MatMulBlockQuantizedFp8Weight": true, "GatherBlockQuantized": true,
}

// integerDomains lists the domains that define these operators.
var integerDomains = []string{graphops.DefaultDomain, graphops.MicrosoftDomain, "com.ms.internal.nhwc"}

// isInteger reports whether the node itself, apart from its bodies, computes with quantized
// values or converts from or to them.
func isInteger(n *graphops.Node) bool {
	op := n.OpType()
	return slices.Contains(integerDomains, n.Domain()) &&
		(integerOps[op] || strings.HasPrefix(op, "QLinear") || strings.HasPrefix(op, "QOrdered"))
}

// IsQuantized reports whether any node of the model computes with quantized values.
func IsQuantized(m *graphops.Model) bool { return Already(m).Nodes > 0 }

// Standing describes how much of a model computes with quantized values.
type Standing struct {
	Nodes int // the number of such nodes, in all graphs and functions
	Of    int // the number of all nodes
	ops   map[string]int
}

// Already counts the nodes of a model that compute with quantized values or convert from or to
// them. Calls of functions of the model do not count, whatever their names, but the nodes in the
// functions do.
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

// Ops returns how many of the nodes have each operator.
func (s Standing) Ops() map[string]int { return maps.Clone(s.ops) }

// fewOps is the number of operators that String lists.
const fewOps = 3

// String returns the count with the most frequent operators, as in "12 of 40 nodes compute with
// quantized values: 8 DequantizeLinear, 4 QuantizeLinear".
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

// moving lists operators whose first output has only elements of their first input.
var moving = map[string]bool{
	"Transpose": true, "Reshape": true, "Squeeze": true, "Unsqueeze": true, "Flatten": true, "Identity": true,
	"Slice": true, "Gather": true, "Expand": true, "Cast": true,
}

// maxMoves bounds the number of such operators that Decoded follows.
const maxMoves = 16

// Decoded reports whether a value of a graph comes from a DequantizeLinear, directly or through
// nodes that only move elements. A node that multiplies with such a value belongs to a model that
// is already quantized, and must not be quantized again. Producers in an outer graph or in a
// function are not looked at.
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
		case moving[n.OpType()] && n.Domain() == graphops.DefaultDomain && len(n.Inputs()) > 0 && n.Output(0) == name:
			name = n.Input(0)
		default:
			return false
		}
	}
	return false
}

// decoding lists those operators in integerOps whose results do not depend on how a runtime
// rounds.
var decoding = map[string]bool{"DequantizeLinear": true, "GatherBlockQuantized": true, "MatMulInteger": true, "ConvInteger": true}

// Rounds reports whether any node of the model rounds its input to the few steps of a quantized
// type, so that a difference in the last digits can become a difference of a whole step. A model
// that only reads quantized weights does not round.
func Rounds(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if !decoding[n.OpType()] && isInteger(n) {
			return true
		}
	}
	return false
}

// Computes reports whether a node, or a node in its bodies, computes with quantized values or
// converts from or to them.
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
