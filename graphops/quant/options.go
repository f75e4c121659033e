package quant

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops/tensor"
)

// Symmetry says whether 0 lies in the middle of a weight's range.
type Symmetry uint8

// The symmetries of ranges.
const (
	// SymmetryByType makes signed weights symmetric, and unsigned ones not.
	SymmetryByType Symmetry = iota
	Symmetric
	Asymmetric
)

// DynamicOptions say what is quantized, and how.
type DynamicOptions struct {
	// WeightType is tensor.I8 or tensor.U8.
	WeightType tensor.DType
	// PerChannel gives each column of a weight matrix its own scale.
	PerChannel bool
	// ReduceRange uses only seven bits of each weight, because the kernels for CPUs without VNNI
	// can overflow otherwise.
	ReduceRange bool
	// WeightSymmetric overrides the symmetry that follows from the type.
	WeightSymmetric Symmetry
	// MinimumRealRange is the minimum width of a weight's range; 0 means no minimum.
	MinimumRealRange float64
	// MatMulConstBOnly leaves products of two computed factors in float32, such as those of an
	// attention.
	MatMulConstBOnly bool
	// Subgraphs also quantizes nodes in bodies, such as the branches of an If.
	Subgraphs bool
	// OpTypes lists the operators to quantize; if empty, all of OpTypes(). A Gemm also counts as
	// MatMul, because it becomes one.
	OpTypes []string
	// Include, if not empty, names the only nodes to quantize; Exclude names nodes to leave
	// alone. A Gemm "fc" is also known as "fc_MatMul".
	Include, Exclude []string
	// ScalesLater reads a weight only when the result is saved, once for its scales and at once again
	// for its integers, so that a file is read and written at the same time. The nodes are then chosen
	// without knowing the numbers. If these are not finite, or span more than float32 can hold, saving
	// ends with ErrRanges.
	ScalesLater bool
}

// DefaultDynamicOptions returns the defaults of the reference: symmetric int8 weights, one scale
// each, and only constant second factors.
func DefaultDynamicOptions() DynamicOptions {
	return DynamicOptions{WeightType: tensor.I8, MatMulConstBOnly: true}
}

// OpTypes returns the operators that Dynamic quantizes, sorted.
func OpTypes() []string {
	out := make([]string, 0, len(families))
	for op := range families {
		out = append(out, op)
	}
	slices.Sort(out)
	return out
}

func (o DynamicOptions) check() error {
	if o.WeightType != tensor.I8 && o.WeightType != tensor.U8 {
		return fmt.Errorf("weights cannot be quantized to %s, expected i8 or u8", o.WeightType)
	}
	if !(o.MinimumRealRange >= 0) || math.IsInf(o.MinimumRealRange, 1) {
		return fmt.Errorf("the minimum width of a range is %v, expected 0 or more", o.MinimumRealRange)
	}
	for _, op := range o.OpTypes {
		if _, ok := families[op]; !ok {
			return fmt.Errorf("operator %q cannot be quantized dynamically, only %s", op, strings.Join(OpTypes(), ", "))
		}
	}
	return nil
}

// wants reports whether the options ask for nodes of an op type.
func (o DynamicOptions) wants(op string) bool {
	return len(o.OpTypes) == 0 || slices.Contains(o.OpTypes, op) || op == "Gemm" && slices.Contains(o.OpTypes, "MatMul")
}

// symmetric reports whether a constant that becomes the given type is quantized symmetrically.
// Constants used as a table or as a first factor follow the rule for weights only if they have the
// same type as weights.
func (o DynamicOptions) symmetric(t tensor.DType) bool {
	switch {
	case t != o.WeightType:
		return false
	case o.WeightSymmetric == SymmetryByType:
		return t == tensor.I8
	}
	return o.WeightSymmetric == Symmetric
}
