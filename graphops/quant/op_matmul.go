package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxChannels bounds the scales of one weight, which are held in memory.
const maxChannels = 1 << 22

// matMulObstacle looks at the two factors of a MatMul or Gemm.
func matMulObstacle(d *dynamic, n *graphops.Node) string {
	if !hasInputs(n, 2) {
		return "lacks an input or output"
	}
	a, b := n.Inputs()[0], n.Inputs()[1]
	t := d.constant(b)
	switch {
	case t != nil && t.DType() != tensor.F32:
		if t.DType().Kind() != tensor.KindFloat && d.elementType(a) == tensor.F32 {
			d.report.depart(WrongType)
		}
		return d.wrongType(b, t)
	case t != nil && len(t.Dims()) == 0:
		return fmt.Sprintf("its weight %q is a scalar, which has no columns", b)
	case t != nil && slices.Contains(t.Dims(), 0):
		d.report.depart(EmptyWeight)
		return fmt.Sprintf("its weight %q has no elements", b)
	case t != nil && d.o.PerChannel && len(t.Dims()) == 2 && max(t.Dims()[0], t.Dims()[1]) > maxChannels:
		return fmt.Sprintf("its weight %q is %s, at most %d channels can have a scale each", b, tensor.FormatShape(t.Dims()), maxChannels)
	case t != nil:
		return d.otherFactorObstacle(a)
	case d.o.MatMulConstBOnly:
		return fmt.Sprintf("its second factor %q is not a constant", b)
	case d.elementType(a) != tensor.F32 && d.elementType(b) != tensor.F32:
		return fmt.Sprintf("its factors %q and %q are not known to be float32", a, b)
	}
	return ""
}

// otherFactorObstacle looks at a factor that is multiplied with floats.
func (d *dynamic) otherFactorObstacle(name string) string {
	if e := d.elementType(name); e != tensor.F32 && e != tensor.Undefined {
		return fmt.Sprintf("its first factor %q is %s, its weight f32", name, e)
	}
	return ""
}

// wrongType is the obstacle of a constant that holds no float32s.
func (d *dynamic) wrongType(name string, t *graphops.Tensor) string {
	if t.DType() == tensor.F16 {
		d.report.depart(Float16)
	}
	return fmt.Sprintf("its weight %q is %s, expected f32", name, t.DType())
}

// hasInputs reports whether the first count inputs and an output are there.
func hasInputs(n *graphops.Node, count int) bool {
	if len(n.Inputs()) < count || len(n.Outputs()) == 0 || n.Outputs()[0] == "" {
		return false
	}
	for _, name := range n.Inputs()[:count] {
		if name == "" {
			return false
		}
	}
	return true
}

// rewriteMatMul makes a MatMulInteger of a MatMul.
func rewriteMatMul(d *dynamic, n *graphops.Node) error {
	a, err := d.activation(n.Inputs()[0])
	if err != nil {
		return err
	}
	b, w, err := d.secondFactor(n.Inputs()[1])
	if err != nil {
		return err
	}
	d.multiply(n.Name(), a, b, n.Outputs()[0])
	d.done(n, w)
	return nil
}

// secondFactor is the quantized form of what a MatMul multiplies with.
func (d *dynamic) secondFactor(name string) (value, weight, error) {
	if t := d.constant(name); t != nil {
		return d.weight(name, t, false)
	}
	v, err := d.activation(name)
	return v, weight{}, err
}

// multiply emits the product y of two quantized matrices for a node of the
// given name.
func (d *dynamic) multiply(name string, a, b value, y string) {
	d.integerProduct("MatMulInteger", name, a, b, [2]string{y, y})
}

// integerProduct emits the product of two quantized values for a node of the
// given name: by an operator in integers, then cast and scaled by both scales.
// The first of the outputs is what values on the way are named after, the second is
// the result.
//
//	y = Cast(MatMulInteger(a, b, a zero, b zero)) · (a scale · b scale)
func (d *dynamic) integerProduct(op, name string, a, b value, outputs [2]string, attrs ...*graphops.Attribute) {
	integer := d.names.Value(outputs[0] + "_output_quantized")
	cast := d.names.Value(integer + "_cast_output")
	quant := d.names.NodeAfter(name, "_quant")
	d.emit(quant, op, []string{a.q, b.q, a.zero, b.zero}, integer, attrs...)
	d.emit(d.names.Node(integer+"_cast"), "Cast", []string{integer}, cast, graphops.IntAttribute("to", int64(tensor.F32)))
	scales := d.scaleProduct(quant, a.scale, b.scale)
	d.emit(d.names.NodeAfter(quant, "_output_scale_mul"), "Mul", []string{cast, scales}, outputs[1])
}

// scaleProduct is the product of two scales. Nodes without a name share it.
func (d *dynamic) scaleProduct(quant, a, b string) string {
	pair := [2]string{a, b}
	name := d.names.NodeAfter(quant, "_scales_mul")
	if quant == "" {
		if product, ok := d.products[pair]; ok {
			return product
		}
		name = d.names.Node(a + "_" + b + "_mul")
	}
	product := d.names.Value(name + ":0")
	d.emit(name, "Mul", []string{a, b}, product)
	if quant == "" {
		d.products[pair] = product
	}
	return product
}
