package static

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// opTypes returns the operators that Quantize knows, sorted.
func opTypes() []string {
	out := make([]string, 0, len(rules))
	for op := range rules {
		out = append(out, op)
	}
	slices.Sort(out)
	return out
}

var (
	activationTypes = []tensor.DType{tensor.I8, tensor.U8, tensor.I16, tensor.U16, tensor.F8E4M3FN}
	weightTypes     = []tensor.DType{tensor.I8, tensor.U8, tensor.I16, tensor.U16, tensor.I4, tensor.U4, tensor.F8E4M3FN}
)

func (o Options) check() error {
	switch {
	case !slices.Contains(activationTypes, o.ActivationType):
		return fmt.Errorf("activations cannot be quantized to %s, expected i8, u8, i16, u16 or f8e4m3fn", o.ActivationType)
	case !slices.Contains(weightTypes, o.WeightType):
		return fmt.Errorf("weights cannot be quantized to %s, expected i8, u8, i16, u16, i4, u4 or f8e4m3fn", o.WeightType)
	case o.ActivationType == tensor.I8 && o.WeightType == tensor.U8:
		return fmt.Errorf("activations of type i8 require signed weights, not u8")
	case !(o.MinimumRealRange >= 0):
		return fmt.Errorf("the minimum width of a range is %v, expected 0 or more", o.MinimumRealRange)
	}
	if err := o.checkFormat(); err != nil {
		return err
	}
	if err := o.checkFloat8(); err != nil {
		return err
	}
	for _, op := range o.OpTypes {
		if _, ok := rules[op]; !ok {
			return fmt.Errorf("operator %q cannot be quantized statically, only %s", op, strings.Join(opTypes(), ", "))
		}
	}
	return nil
}

// checkFormat returns an error for options that have no effect in the chosen format.
func (o Options) checkFormat() error {
	if o.Format == FormatQDQ {
		if o.ConstantFactors {
			return errors.New("options about constant factors apply to the QOperator format only, not to QDQ")
		}
		return nil
	}
	for _, d := range []tensor.DType{o.ActivationType, o.WeightType} {
		if d != tensor.I8 && d != tensor.U8 {
			return fmt.Errorf("the QOperator format supports i8 and u8, not %s; use the QDQ format", d)
		}
	}
	for _, idle := range []struct {
		what string
		set  bool
	}{
		{"biases in float32", !o.QuantizeBias},
		{"fixed scales of weights", o.KeepWeightScales},
		{"pairs at weights", o.PairAtWeights},
		{"separate QuantizeLinear and DequantizeLinear nodes for each reader", o.DedicatedPairs},
		{"Relu and Clip nodes that are kept", o.KeepRemovable},
		{"QuantizeLinear of domain com.microsoft", o.ContribOps},
		{"operators with results in float32", len(o.FloatOutputs) > 0},
		{"overrides", len(o.Overrides) > 0},
		{"axes of channels", len(o.ChannelAxes) > 0},
	} {
		if idle.set {
			return fmt.Errorf("%s apply to the QDQ format only, not to QOperator", idle.what)
		}
	}
	return nil
}

// wants reports whether the options ask for the operator of a node.
func (o Options) wants(n *graphops.Node) bool {
	if _, ok := rules[n.OpType()]; !ok || n.Domain() != domainOf(n.OpType()) {
		return false
	}
	return len(o.OpTypes) == 0 || slices.Contains(o.OpTypes, n.OpType())
}

// domainOf returns the domain that defines an operator of the rules.
func domainOf(op string) string {
	if op == "EmbedLayerNormalization" {
		return contrib
	}
	return graphops.DefaultDomain
}

const contrib = "com.microsoft"
