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
	title:  "a MatMul of two matrices and the Add behind it become a Gemm",
	reason: "Gemm is both in one; only rounding differs",
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

// gemmTakes reports whether a product is one of matrices, of a type that runtimes have
// a Gemm for, and none whose factors are dequantized, which runtimes compute on the
// integers if they find the MatMul. Before version 7 a Gemm did not broadcast.
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

// notGemm tells why a product and the sum behind it are no Gemm, "" of those that are.
func notGemm(m, add *rewrite.Node, c *rewrite.Value) string {
	if m.Out(0).Reader() != add || m.Graph() != add.Graph() {
		return "the product is read elsewhere, too"
	}
	a, b := m.In(0).Type().Dims, m.In(1).Type().Dims
	if !broadcasts(c.Type(), []dim.Dim{a[0], b[1]}) {
		return "what is added is not known to have the shape of the product, or one that is repeated to it"
	}
	if c.Producer().Is("DequantizeLinear") {
		return "what is added is dequantized"
	}
	return ""
}

// broadcasts reports whether a tensor of the type is repeated to the sizes, and never
// makes more of them.
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

// insertGemm reports false, having changed nothing, where the sum is an output of the
// graph that another value cannot be.
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

// typesOf are the types of a node's outputs.
func typesOf(n *rewrite.Node) []shape.Type {
	var out []shape.Type
	for _, v := range n.Outputs() {
		out = append(out, v.Type())
	}
	return out
}
