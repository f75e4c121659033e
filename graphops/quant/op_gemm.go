package quant

import (
	"fmt"

	"lathe/graphops"
)

// gemmForm tells why a Gemm is not the sum of a MatMul and its third input, ""
// where it is. The second factor may be transposed.
func gemmForm(n *graphops.Node) string {
	for _, factor := range []string{"alpha", "beta"} {
		if a, ok := n.Attribute(factor); ok && a.Float() != 1 {
			return fmt.Sprintf("has %s %g, expected 1", factor, a.Float())
		}
	}
	if flag(n, "transA") {
		return "transposes its first factor"
	}
	return ""
}

// flag reports whether an INT attribute is there and not 0.
func flag(n *graphops.Node, name string) bool {
	a, ok := n.Attribute(name)
	return ok && a.Int() != 0
}

func gemmObstacle(d *dynamic, n *graphops.Node) string {
	if reason := gemmForm(n); reason != "" {
		return reason
	}
	if reason := matMulObstacle(d, n); reason != "" {
		return reason
	}
	if t := d.constant(n.Inputs()[1]); t != nil && len(t.Dims()) != 2 {
		return fmt.Sprintf("its weight %q has rank %d, expected a matrix", n.Inputs()[1], len(t.Dims()))
	}
	return ""
}

// rewriteGemm makes a MatMulInteger and an Add of a Gemm.
func rewriteGemm(d *dynamic, n *graphops.Node) error {
	a, err := d.activation(n.Inputs()[0])
	if err != nil {
		return err
	}
	b, w, err := d.gemmFactor(n)
	if err != nil {
		return err
	}
	name, y := "", n.Outputs()[0]
	if n.Name() != "" {
		name = n.Name() + "_MatMul"
	}
	switch {
	case len(n.Inputs()) > 2 && n.Inputs()[2] != "":
		product := d.names.Value(y + "_MatMul")
		d.multiply(name, a, b, product)
		d.keep(newNode(d.names.NodeAfter(n.Name(), "_Add"), "Add", []string{product, n.Inputs()[2]}, y))
	default:
		if len(n.Inputs()) > 2 {
			d.report.depart(EmptyBias)
		}
		d.multiply(name, a, b, y)
	}
	d.done(n, w)
	return nil
}

// gemmFactor is the quantized form of a Gemm's second factor, transposed if the
// node asks for it.
func (d *dynamic) gemmFactor(n *graphops.Node) (value, weight, error) {
	name := n.Inputs()[1]
	if !flag(n, "transB") {
		return d.secondFactor(name)
	}
	if t := d.constant(name); t != nil {
		return d.weight(name, t, true)
	}
	transposed := d.names.Value(name + "_Transposed")
	node := newNode(d.names.NodeAfter(n.Name(), "_Transpose"), "Transpose", []string{name}, transposed)
	if !d.o.wants("Transpose") || !d.transposeCodes(node) {
		d.keep(node)
	}
	v, err := d.activation(transposed)
	return v, weight{}, err
}

// onlyTransposed reports whether every reader of a constant is a chosen Gemm
// that transposes it, so that the transposed copy may take its name.
func (d *dynamic) onlyTransposed(name string) bool {
	id, _ := d.index.Value(name)
	if d.index.IsOutput(id) || d.captured[name] {
		return false
	}
	for _, i := range d.index.Readers(id) {
		n := d.graph.Nodes()[i]
		if !d.choices[i].take || n.OpType() != "Gemm" || !flag(n, "transB") {
			return false
		}
		for at, in := range n.Inputs() {
			if in == name && at != 1 {
				return false
			}
		}
	}
	return true
}
