package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxChannels bounds the number of scales of one weight, which are held in memory.
const maxChannels = 1 << 22

// matMulObstacle checks the two factors of a MatMul or Gemm.
func matMulObstacle(s *scope, n *graphops.Node) string {
	if !hasInputs(n, 2) {
		return "lacks an input or output"
	}
	a, b := n.Input(0), n.Input(1)
	t := s.constant(b)
	switch {
	case t != nil && t.DType() != tensor.F32:
		if t.DType().Kind() != tensor.KindFloat && s.elementType(a) == tensor.F32 {
			s.report.depart(wrongType)
		}
		return s.wrongType(b, t)
	case t != nil && len(t.Dims()) == 0:
		return fmt.Sprintf("its weight %q is a scalar, which has no columns", b)
	case t != nil && slices.Contains(t.Dims(), 0):
		s.report.depart(emptyWeight)
		return fmt.Sprintf("its weight %q has no elements", b)
	case t != nil && s.o.PerChannel && len(t.Dims()) == 2 && max(t.Dims()[0], t.Dims()[1]) > maxChannels:
		return fmt.Sprintf("its weight %q is %s, but at most %d channels are supported", b, tensor.FormatShape(t.Dims()), maxChannels)
	case t != nil:
		return s.otherFactorObstacle(a)
	case s.o.MatMulConstBOnly:
		return fmt.Sprintf("its second factor %q is not a constant", b)
	case s.elementType(a) != tensor.F32 && s.elementType(b) != tensor.F32:
		return fmt.Sprintf("its factors %q and %q are not known to be float32", a, b)
	}
	return ""
}

// otherFactorObstacle checks the factor that is multiplied with the weight.
func (s *scope) otherFactorObstacle(name string) string {
	if e := s.elementType(name); e != tensor.F32 && e != tensor.Undefined {
		return fmt.Sprintf("its first factor %q is %s, but its weight f32", name, e)
	}
	return ""
}

// wrongType returns the obstacle of a constant that is not float32.
func (s *scope) wrongType(name string, t *graphops.Tensor) string {
	if t.DType() == tensor.F16 {
		s.report.depart(float16Weight)
	}
	return fmt.Sprintf("its weight %q is %s, expected f32", name, t.DType())
}

// hasInputs reports whether a node has its first count inputs and an output.
func hasInputs(n *graphops.Node, count int) bool {
	if len(n.Inputs()) < count || n.Output(0) == "" {
		return false
	}
	for _, name := range n.Inputs()[:count] {
		if name == "" {
			return false
		}
	}
	return true
}

// rewriteMatMul replaces a MatMul by a MatMulInteger.
func rewriteMatMul(s *scope, n *graphops.Node) error {
	a, first, err := s.activation(n.Input(0))
	if err != nil {
		return err
	}
	b, w, err := s.secondFactor(n.Input(1))
	if err != nil {
		return err
	}
	s.multiply(n.Name(), a, b, n.Output(0))
	s.done(n, w, first)
	return nil
}

// secondFactor returns the quantized form of the second factor of a MatMul.
func (s *scope) secondFactor(name string) (value, weight, error) {
	if t := s.constant(name); t != nil {
		return s.weight(name, t, false)
	}
	return s.activation(name)
}

// multiply emits the product y of two quantized matrices for the node with the given name.
func (s *scope) multiply(name string, a, b value, y string) {
	s.integerProduct("MatMulInteger", name, a, b, [2]string{y, y})
}

// integerProduct emits the product of two quantized values for the node with the given name: an
// operator on integers, whose result is cast to float and multiplied by both scales. The first of
// the outputs is the name from which the names of intermediate values are derived, and the second
// is the name of the result.
//
//	y = Cast(MatMulInteger(a, b, a zero, b zero)) · (a scale · b scale)
func (s *scope) integerProduct(op, name string, a, b value, outputs [2]string, attrs ...*graphops.Attribute) {
	integer := s.names.Value(outputs[0] + "_output_quantized")
	cast := s.names.Value(integer + "_cast_output")
	quant := s.names.NodeAfter(name, "_quant")
	s.emit(quant, op, []string{a.q, b.q, a.zero, b.zero}, integer, attrs...)
	s.emit(s.names.Node(integer+"_cast"), "Cast", []string{integer}, cast, graphops.IntAttribute("to", int64(tensor.F32)))
	scales := s.scaleProduct(quant, a.scale, b.scale)
	s.emit(s.names.NodeAfter(quant, "_output_scale_mul"), "Mul", []string{cast, scales}, outputs[1])
}

// scaleProduct returns the product of two scales. Nodes without a name share it.
func (s *scope) scaleProduct(quant, a, b string) string {
	pair := [2]string{a, b}
	name := s.names.NodeAfter(quant, "_scales_mul")
	if quant == "" {
		if product, ok := s.products[pair]; ok {
			return product
		}
		name = s.names.Node(a + "_" + b + "_mul")
	}
	product := s.names.Value(name + ":0")
	s.emit(name, "Mul", []string{a, b}, product)
	if quant == "" {
		s.products[pair] = product
	}
	return product
}
