package diff

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// implication reports whether attribute a of node i has the value that would apply if it were
// omitted.
type implication func(s *side, i int, a *graphops.Attribute) bool

// window has the attributes of operators with a sliding window and their defaults. The schemas have
// no defaults for them, because the length of the list depends on the number of axes.
var window = map[string]implication{"strides": allOf(1), "dilations": allOf(1), "pads": allOf(0), "output_padding": allOf(0)}

// implied lists the attributes that can follow from the shape of a weight, from the number of
// outputs or from the rank, by operator.
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

// isImplied reports whether attribute a of node i has the value that would apply if it were
// omitted.
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

// kernelOf returns an implication: the attribute equals the spatial sizes of the weight at the
// given input.
func kernelOf(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		dims := s.weightDims(i, input)
		return a.Kind() == graphops.AttrInts && len(dims) > 2 && slices.Equal(a.Ints(), dims[2:])
	}
}

// lastOf returns an implication: the attribute equals the last size of the weight at the given
// input.
func lastOf(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		dims := s.weightDims(i, input)
		return a.Kind() == graphops.AttrInt && len(dims) > 0 && a.Int() == dims[len(dims)-1]
	}
}

// weightDims returns the shape of the constant that node i reads as the given input; nil if that is
// not a constant.
func (s *side) weightDims(i, input int) []int64 {
	if c := s.constant(s.behind(at(s.inputs[i], input))); c != nil {
		return c.dims
	}
	return nil
}

// isWithoutZero returns an implication: the constant at the given input has no element 0. The
// attribute allowzero only says what 0 means.
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

// isReversal reports whether the attribute lists all axes from the last to the first, which is the
// default of perm.
func isReversal(_ *side, _ int, a *graphops.Attribute) bool {
	axes := a.Ints()
	for k, axis := range axes {
		if axis != int64(len(axes)-1-k) {
			return false
		}
	}
	return a.Kind() == graphops.AttrInts
}
