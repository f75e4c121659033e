package diff

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// implication reports whether an attribute of a node states what applies without it.
type implication func(s *side, i int, a *graphops.Attribute) bool

// window has the attributes of operators with a sliding window. The length of their defaults
// depends on the number of axes, so that no schema has them.
var window = map[string]implication{"strides": allOf(1), "dilations": allOf(1), "pads": allOf(0), "output_padding": allOf(0)}

// implied has the operators whose attributes follow from the shapes of weights, from the number of
// outputs, or from the rank.
var implied = map[string]map[string]implication{
	"Conv":          withKernel(1),
	"ConvTranspose": withKernel(1),
	"ConvInteger":   withKernel(1),
	"DeformConv":    withKernel(1),
	"QLinearConv":   withKernel(3),
	"MaxPool":       window,
	"AveragePool":   window,
	"LpPool":        window,
	"MaxUnpool":     window,
	"Col2Im":        window,
	"LSTM":          {"hidden_size": lastOf(2)},
	"GRU":           {"hidden_size": lastOf(2)},
	"RNN":           {"hidden_size": lastOf(2)},
	"Split":         {"num_outputs": isOutputs},
	"Transpose":     {"perm": isReversal},
	"Reshape":       {"allowzero": isWithoutZero(1)},
}

// isImplied reports whether an attribute of a node states what applies without it.
func (s *side) isImplied(i int, a *graphops.Attribute) bool {
	n := s.graph.Nodes()[i]
	if n.Domain() != graphops.DefaultDomain || a.RefName() != "" {
		return false
	}
	follows := implied[n.OpType()][a.Name()]
	return follows != nil && follows(s, i, a)
}

func withKernel(input int) map[string]implication {
	return map[string]implication{
		"strides": allOf(1), "dilations": allOf(1), "pads": allOf(0), "output_padding": allOf(0),
		"kernel_shape": kernelOf(input),
	}
}

func allOf(number int64) implication {
	return func(_ *side, _ int, a *graphops.Attribute) bool {
		return a.Kind() == graphops.AttrInts && !slices.ContainsFunc(a.Ints(), func(v int64) bool { return v != number })
	}
}

// kernelOf is true if the attribute equals the spatial axes of the weight that is the given input.
func kernelOf(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		dims := s.weightDims(i, input)
		return a.Kind() == graphops.AttrInts && len(dims) > 2 && slices.Equal(a.Ints(), dims[2:])
	}
}

// lastOf is true if the attribute equals the size of the last axis of the weight that is the given
// input.
func lastOf(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		dims := s.weightDims(i, input)
		return a.Kind() == graphops.AttrInt && len(dims) > 0 && a.Int() == dims[len(dims)-1]
	}
}

// weightDims returns the shape of the constant that is the given input of a node, nil if it is not
// a constant.
func (s *side) weightDims(i, input int) []int64 {
	if c := s.constant(s.behind(at(s.inputs[i], input))); c != nil {
		return c.dims
	}
	return nil
}

// isWithoutZero is true if the constant that is the given input has no element 0, because the
// attribute only says what 0 means.
func isWithoutZero(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		c := s.constant(s.behind(at(s.inputs[i], input)))
		if a.Kind() != graphops.AttrInt || a.Int() != 0 && a.Int() != 1 {
			return false // its value is not defined
		}
		if c == nil || c.dense == nil || c.dtype != tensor.I64 || !c.isSizes() {
			return false
		}
		p, err := c.dense.Data()
		if err != nil {
			return false
		}
		data, err := p.Bytes()
		if err != nil {
			return false
		}
		sizes, err := tensor.Tensor{DType: c.dtype, Shape: c.dims, Data: data}.Int64s()
		return err == nil && !slices.Contains(sizes, 0)
	}
}

func isOutputs(s *side, i int, a *graphops.Attribute) bool {
	return a.Kind() == graphops.AttrInt && a.Int() == int64(len(s.outputs[i]))
}

// isReversal is true if the attribute lists all axes, last to first.
func isReversal(_ *side, _ int, a *graphops.Attribute) bool {
	axes := a.Ints()
	for k, axis := range axes {
		if axis != int64(len(axes)-1-k) {
			return false
		}
	}
	return a.Kind() == graphops.AttrInts
}
