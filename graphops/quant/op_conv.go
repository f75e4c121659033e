package quant

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func convObstacle(s *scope, n *graphops.Node) string {
	if !hasInputs(n, 2) {
		return "lacks an input or output"
	}
	x, w := n.Input(0), n.Input(1)
	t := s.constant(w)
	switch {
	case s.elementType(x) == tensor.F16:
		s.report.depart(float16Weight)
		return fmt.Sprintf("its input %q is f16, expected f32", x)
	case s.elementType(x) != tensor.F32:
		return fmt.Sprintf("its input %q is not known to be float32", x)
	case t == nil:
		return s.computedKernelObstacle(n)
	case t.DType() != tensor.F32:
		return s.wrongType(w, t)
	case slices.Contains(t.Dims(), 0):
		s.report.depart(emptyWeight)
		return fmt.Sprintf("its weight %q has no elements", w)
	case len(t.Dims()) < 3:
		return fmt.Sprintf("its weight %q has rank %d, expected at least 3", w, len(t.Dims()))
	}
	return ""
}

// computedKernelObstacle checks a Conv whose weight is not a constant.
func (s *scope) computedKernelObstacle(n *graphops.Node) string {
	w := n.Input(1)
	switch rank := s.rankOf(w); {
	case s.elementType(w) != tensor.F32:
		return fmt.Sprintf("its weight %q is not known to be float32", w)
	case input(n, 2) != "" && rank < 3:
		return fmt.Sprintf("the rank of its weight %q is unknown, but needed to add the bias", w)
	case input(n, 2) != "":
		s.report.depart(weightElsewhere)
	}
	return ""
}

// rewriteConv replaces a Conv by a ConvInteger. All channels have the same scale, because the
// kernel accepts only one. The bias is added in float32.
func rewriteConv(s *scope, n *graphops.Node) error {
	x, first, err := s.activation(n.Input(0))
	if err != nil {
		return err
	}
	w, size, err := s.kernel(n.Input(1))
	if err != nil {
		return err
	}
	y := n.Output(0)
	scaled, bias := y, input(n, 2)
	if bias != "" {
		if s.owner(n.Input(1)) != s {
			s.report.depart(weightElsewhere)
		}
		scaled = s.names.Value(y + "quant_scaled_output")
	}
	s.integerProduct("ConvInteger", n.Name(), x, w, [2]string{y, scaled}, slices.Clone(n.Attributes())...)
	if bias != "" {
		s.addBias(y, bias, s.rankOf(n.Input(1)), scaled)
	}
	s.done(n, size, first)
	return nil
}

// kernel returns the quantized form of the weight of a Conv.
func (s *scope) kernel(name string) (value, weight, error) {
	if t := s.constant(name); t != nil {
		return s.wholeWeight(name, t)
	}
	return s.activation(name)
}

// addBias adds the bias of a Conv, one number for each channel, to the scaled product.
func (s *scope) addBias(y, bias string, rank int, scaled string) {
	sizes := slices.Repeat([]int64{1}, rank)
	sizes[1] = -1
	shape, reshaped := s.names.Value(y+"_bias_reshape_shape"), s.names.Value(y+"_bias_reshape_output")
	s.added = append(s.added, graphops.NewTensorOf(shape, tensor.FromSlice(sizes, int64(rank))))
	s.restore(bias)
	s.emit("", "Reshape", []string{bias, shape}, reshaped)
	s.emit(s.names.Node(y+"_bias_add"), "Add", []string{scaled, reshaped}, y)
}
