package simplify

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

var fuseGemm = &pass{
	name:   "fuse-gemm",
	title:  "a MatMul of two matrices and the Add after it become a Gemm",
	reason: "Gemm computes both; only rounding differs",
	ops:    []string{"Add"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("Add") || len(n.Inputs()) != 2 || n.Out(0) == nil {
			return ""
		}
		for i := range 2 {
			m := n.In(i).Producer()
			if !m.Is("MatMul") || m.Out(0) != n.In(i) || !gemmTakes(m) {
				continue
			}
			if why := notGemm(m, n, n.In(1-i)); why != "" {
				j.refuse(n, why)
				continue
			}
			if insertGemm(m, n, n.In(1-i)) {
				return "of MatMul and Add"
			}
		}
		return ""
	},
}

// gemmTakes reports whether a product can become a Gemm: its factors are matrices with a type for
// which runtimes have a Gemm. Products of dequantized factors are excluded, because runtimes
// compute them with integers if they find a MatMul. Before version 7, a Gemm did not broadcast.
func gemmTakes(m *rewrite.Node) bool {
	if len(m.Inputs()) != 2 || m.Graph().Opset(graphops.DefaultDomain) < 7 {
		return false
	}
	for _, v := range m.Inputs() {
		if len(v.Type().Dims) != 2 || v.Producer().Is("DequantizeLinear") {
			return false
		}
	}
	switch m.In(0).Type().Elem {
	case tensor.F16, tensor.F32, tensor.F64:
		return true
	}
	return false
}

// notGemm returns the reason why a product and the following Add cannot become a Gemm, or an
// empty string.
func notGemm(m, add *rewrite.Node, c *rewrite.Value) string {
	if m.Out(0).Reader() != add || m.Graph() != add.Graph() {
		return "the product is also read elsewhere"
	}
	a, b := m.In(0).Type().Dims, m.In(1).Type().Dims
	if !broadcasts(c.Type(), []dim.Dim{a[0], b[1]}) {
		return "the added value is not known to have the shape of the product, or one that is broadcast to it"
	}
	if c.Producer().Is("DequantizeLinear") {
		return "the added value is dequantized"
	}
	return ""
}

// broadcasts reports whether a tensor of this type can be broadcast to the given sizes without
// changing them.
func broadcasts(t shape.Type, to []dim.Dim) bool {
	if t.Kind != graphops.TypeTensor || t.Dims == nil || len(t.Dims) > len(to) {
		return false
	}
	to = to[len(to)-len(t.Dims):]
	for i, d := range t.Dims {
		if !d.Is(1) && !d.Equal(to[i]) {
			return false
		}
	}
	return true
}

// insertGemm returns false and changes nothing if the sum is an output of the graph that cannot
// be replaced.
func insertGemm(m, add *rewrite.Node, c *rewrite.Value) bool {
	n := add.Graph().Insert(add, rewrite.Spec{
		Op: "Gemm", Inputs: append(m.Inputs(), c), Types: typesOf(add), For: []*rewrite.Node{m, add},
	})
	if !add.Out(0).ReplaceWith(n.Out(0)) {
		n.Remove()
		return false
	}
	add.Remove()
	m.Remove()
	return true
}

// typesOf returns the types of a node's outputs.
func typesOf(n *rewrite.Node) []shape.Type {
	var out []shape.Type
	for _, v := range n.Outputs() {
		out = append(out, v.Type())
	}
	return out
}
