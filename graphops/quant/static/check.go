package static

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// OpTypes are the operators that Quantize knows, sorted.
func OpTypes() []string {
	out := make([]string, 0, len(rules))
	for op := range rules {
		out = append(out, op)
	}
	slices.Sort(out)
	return out
}

var (
	activationTypes = []tensor.DType{tensor.I8, tensor.U8, tensor.I16, tensor.U16}
	weightTypes     = []tensor.DType{tensor.I8, tensor.U8, tensor.I16, tensor.U16, tensor.I4, tensor.U4}
)

func (o Options) check() error {
	switch {
	case !slices.Contains(activationTypes, o.ActivationType):
		return fmt.Errorf("activations cannot be quantized to %s, expected i8, u8, i16 or u16", o.ActivationType)
	case !slices.Contains(weightTypes, o.WeightType):
		return fmt.Errorf("weights cannot be quantized to %s, expected i8, u8, i16, u16, i4 or u4", o.WeightType)
	case o.ActivationType == tensor.I8 && o.WeightType == tensor.U8:
		return fmt.Errorf("activations of type i8 go with signed weights only, not with u8")
	case !(o.MinimumRealRange >= 0):
		return fmt.Errorf("the least width of a range is %v, expected a number from 0 on", o.MinimumRealRange)
	}
	for _, op := range o.OpTypes {
		if _, ok := rules[op]; !ok {
			return fmt.Errorf("operator %q cannot be quantized statically, only %s", op, strings.Join(OpTypes(), ", "))
		}
	}
	return nil
}

// wants reports whether a node is of an operator to quantize.
func (o Options) wants(n *graphops.Node) bool {
	if _, ok := rules[n.OpType()]; !ok || n.Domain() != domainOf(n.OpType()) {
		return false
	}
	return len(o.OpTypes) == 0 || slices.Contains(o.OpTypes, n.OpType())
}

// domainOf is the domain that defines an operator of the rules.
func domainOf(op string) string {
	if op == "EmbedLayerNormalization" {
		return contrib
	}
	return graphops.DefaultDomain
}

const contrib = "com.microsoft"
