package quant

import (
	"fmt"

	"lathe/graphops"
)

// gemmForm returns why a Gemm cannot be written as a MatMul plus its third input, or "" if it
// can. The second factor may be transposed.
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

// flag reports whether an integer attribute is set and not 0.
func flag(n *graphops.Node, name string) bool {
	a, ok := n.Attribute(name)
	return ok && a.Int() != 0
}

func gemmObstacle(s *scope, n *graphops.Node) string {
	if reason := gemmForm(n); reason != "" {
		return reason
	}
	if reason := matMulObstacle(s, n); reason != "" {
		return reason
	}
	if t := s.constant(n.Input(1)); t != nil && len(t.Dims()) != 2 {
		return fmt.Sprintf("its weight %q has rank %d, expected a matrix", n.Input(1), len(t.Dims()))
	}
	return ""
}

// rewriteGemm replaces a Gemm by a MatMulInteger and an Add.
func rewriteGemm(s *scope, n *graphops.Node) error {
	a, first, err := s.activation(n.Input(0))
	if err != nil {
		return err
	}
	b, w, err := s.gemmFactor(n)
	if err != nil {
		return err
	}
	name, y := "", n.Output(0)
	if n.Name() != "" {
		name = n.Name() + "_MatMul"
	}
	switch {
	case n.Input(2) != "":
		product := s.names.Value(y + "_MatMul")
		s.multiply(name, a, b, product)
		s.keep(newNode(s.names.NodeAfter(n.Name(), "_Add"), "Add", []string{product, n.Input(2)}, y))
	default:
		if len(n.Inputs()) > 2 {
			s.report.depart(emptyBias)
		}
		s.multiply(name, a, b, y)
	}
	s.done(n, w, first)
	return nil
}

// gemmFactor returns the quantized form of the second factor of a Gemm, transposed if the node
// has transB.
func (s *scope) gemmFactor(n *graphops.Node) (value, weight, error) {
	name := n.Input(1)
	if !flag(n, "transB") {
		return s.secondFactor(name)
	}
	if t := s.constant(name); t != nil {
		return s.weight(name, t, true)
	}
	transposed := s.names.Value(name + "_Transposed")
	node := newNode(s.names.NodeAfter(n.Name(), "_Transpose"), "Transpose", []string{name}, transposed)
	if !s.o.wants("Transpose") || !s.transposeCodes(node) {
		s.keep(node)
	}
	return s.activation(transposed)
}

// onlyTransposed reports whether all readers of a constant are chosen Gemms that transpose it.
// The transposed constant can then take over its name.
func (s *scope) onlyTransposed(name string) bool {
	id, _ := s.index.Value(name)
	if s.index.IsOutput(id) || s.captured[name] {
		return false
	}
	return s.eachReader(name, func(r *scope, i, at int) bool {
		n := r.graph.Nodes()[i]
		return r.choices[i].take && n.Is("Gemm") && flag(n, "transB") && at == 1
	})
}

// eachReader calls f for each input that reads the value, in this scope and the scopes in it,
// until f returns false. It reports whether f always returned true.
func (s *scope) eachReader(name string, f func(s *scope, node, input int) bool) bool {
	id, ok := s.index.Value(name)
	if !ok {
		return true
	}
	for _, i := range s.index.Readers(id) {
		for at, in := range s.graph.Nodes()[i].Inputs() {
			if in == name && !f(s, int(i), at) {
				return false
			}
		}
		for _, inner := range s.bodies[int(i)] {
			if !inner.eachReader(name, f) {
				return false
			}
		}
	}
	return true
}
