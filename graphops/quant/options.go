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

// The ways to place 0.
const (
	// SymmetryByType makes signed weights symmetric and unsigned ones not.
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
	// ReduceRange leaves one bit of each weight unused, for CPUs without VNNI,
	// whose kernels saturate otherwise.
	ReduceRange bool
	// WeightSymmetric overrides the symmetry that follows from the type.
	WeightSymmetric Symmetry
	// MinimumRealRange is the least width of a weight's range, 0 for none.
	MinimumRealRange float64
	// MatMulConstBOnly leaves products of two computed factors, such as those of
	// an attention, in float32.
	MatMulConstBOnly bool
	// Subgraphs quantizes the nodes of bodies too, such as the branches of an If.
	Subgraphs bool
	// OpTypes are the operators to quantize, all of OpTypes() if empty. A Gemm
	// counts as MatMul too, which it becomes.
	OpTypes []string
	// Include, if not empty, names the only nodes to quantize; Exclude names nodes
	// to leave alone. A Gemm "fc" is also known as "fc_MatMul".
	Include, Exclude []string
}

// DefaultDynamicOptions are those of the reference: symmetric int8 weights, one
// scale each, constant second factors only.
func DefaultDynamicOptions() DynamicOptions {
	return DynamicOptions{WeightType: tensor.I8, MatMulConstBOnly: true}
}

// OpTypes are the operators that Dynamic quantizes, sorted.
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
		return fmt.Errorf("the least width of a range is %v, expected a number from 0 on", o.MinimumRealRange)
	}
	for _, op := range o.OpTypes {
		if _, ok := families[op]; !ok {
			return fmt.Errorf("operator %q cannot be quantized dynamically, only %s", op, strings.Join(OpTypes(), ", "))
		}
	}
	return nil
}

// wants reports whether nodes of an op type were asked for.
func (o DynamicOptions) wants(op string) bool {
	return len(o.OpTypes) == 0 || slices.Contains(o.OpTypes, op) || op == "Gemm" && slices.Contains(o.OpTypes, "MatMul")
}

// symmetric tells whether a constant of a type is quantized symmetrically. A
// table or first factor follows the rule for weights only where their type is
// the same.
func (o DynamicOptions) symmetric(t tensor.DType) bool {
	switch {
	case t != o.WeightType:
		return false
	case o.WeightSymmetric == SymmetryByType:
		return t == tensor.I8
	}
	return o.WeightSymmetric == Symmetric
}
