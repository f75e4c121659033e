package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// gatherObstacle checks the table of a Gather, such as the vectors of an embedding.
func gatherObstacle(s *scope, n *graphops.Node) string {
	if !hasInputs(n, 2) {
		return "lacks an input or output"
	}
	table := n.Input(0)
	switch t := s.constant(table); {
	case t == nil:
		return fmt.Sprintf("its table %q is not a constant", table)
	case t.DType() == tensor.F16:
		return s.wrongType(table, t)
	case t.DType() != tensor.F32:
		return fmt.Sprintf("its table %q is %s, expected f32", table, t.DType())
	case slices.Contains(t.Dims(), 0):
		s.report.depart(emptyWeight)
		return fmt.Sprintf("its table %q has no elements", table)
	}
	return ""
}

// gatherReadsFloats reports whether a Gather reads floats. Gathers that select from shapes do
// not.
func gatherReadsFloats(s *scope, n *graphops.Node) bool {
	if len(n.Inputs()) == 0 {
		return false
	}
	switch s.elementType(n.Input(0)) {
	case tensor.F32, tensor.F16, tensor.BF16, tensor.F64:
		return true
	}
	return false
}

// rewriteGather lets a Gather select from the quantized table. The selected elements keep the
// scale of the table, so that a MatMul can read them as integers.
func rewriteGather(s *scope, n *graphops.Node) error {
	name := n.Input(0)
	table, w, err := s.table(name, s.constant(name))
	if err != nil {
		return err
	}
	s.passThrough(n, table)
	s.done(n, w)
	return nil
}

// passThrough emits a node that only moves elements, on the quantized form v of its first input.
func (s *scope) passThrough(n *graphops.Node, v value) {
	out := n.Output(0)
	picked := value{q: s.names.Value(out + "_quantized"), scale: v.scale, zero: v.zero}
	s.values[out] = picked
	inputs := append([]string{v.q}, n.Inputs()[1:]...)
	outputs := append([]string{picked.q}, n.Outputs()[1:]...)
	s.nodes = append(s.nodes, n.WithInputs(inputs).WithOutputs(outputs))
}
