package diff

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// implication reports whether an attribute of a node says what holds without it.
type implication func(s *side, i int, a *graphops.Attribute) bool

// window are the attributes of operators that slide a window over the input. Their
// defaults have as many numbers as the input has axes, so no schema holds them.
var window = map[string]implication{"strides": allOf(1), "dilations": allOf(1), "pads": allOf(0), "output_padding": allOf(0)}

// implied are the operators whose attributes follow from the shapes of weights, from
// the number of results, or from the rank.
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

// isImplied reports whether an attribute of a node says what follows without it.
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

// kernelOf holds for the spatial axes of the weight that is read as an input.
func kernelOf(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		dims := s.weightDims(i, input)
		return a.Kind() == graphops.AttrInts && len(dims) > 2 && slices.Equal(a.Ints(), dims[2:])
	}
}

// lastOf holds for the size of the last axis of the weight that is read as an input.
func lastOf(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		dims := s.weightDims(i, input)
		return a.Kind() == graphops.AttrInt && len(dims) > 0 && a.Int() == dims[len(dims)-1]
	}
}

// weightDims is the shape of the constant that a node reads as an input, nil if it
// reads none there.
func (s *side) weightDims(i, input int) []int64 {
	if c := s.constant(s.behind(at(s.inputs[i], input))); c != nil {
		return c.dims
	}
	return nil
}

// isWithoutZero holds where the constant that is read as an input has no element 0, so
// that it does not matter what such a one would mean.
func isWithoutZero(input int) implication {
	return func(s *side, i int, a *graphops.Attribute) bool {
		c := s.constant(s.behind(at(s.inputs[i], input)))
		if a.Kind() != graphops.AttrInt || a.Int() != 0 && a.Int() != 1 {
			return false // what nothing defines
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

// isReversal holds for all axes, last to first.
func isReversal(_ *side, _ int, a *graphops.Attribute) bool {
	axes := a.Ints()
	for k, axis := range axes {
		if axis != int64(len(axes)-1-k) {
			return false
		}
	}
	return a.Kind() == graphops.AttrInts
}
