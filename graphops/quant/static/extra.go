package static

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// extras has the options that have no command-line flag of their own, under the names that they
// have in the reference's extra_options.
var extras = map[string]func(o *Options, value string) error{
	"ActivationRestrictedAsymmetric":     onOff(func(o *Options) *bool { return &o.RestrictedAsymmetric }),
	"QDQDisableWeightAdjustForInt32Bias": onOff(func(o *Options) *bool { return &o.KeepWeightScales }),
	"AddQDQPairToWeight":                 onOff(func(o *Options) *bool { return &o.PairAtWeights }),
	"DedicatedQDQPair":                   onOff(func(o *Options) *bool { return &o.DedicatedPairs }),
	"QDQKeepRemovableActivations":        onOff(func(o *Options) *bool { return &o.KeepRemovable }),
	"ForceQuantizeNoInputCheck":          onOff(func(o *Options) *bool { return &o.Force }),
	"UseQDQContribOps":                   onOff(func(o *Options) *bool { return &o.ContribOps }),
	"MatMulConstBOnly":                   onOff(func(o *Options) *bool { return &o.ConstantFactors }),
	"OpTypesToExcludeOutputQuantization": func(o *Options, value string) error {
		o.FloatOutputs = append(o.FloatOutputs, strings.Split(value, ",")...)
		return nil
	},
	"QDQOpTypePerChannelSupportToAxis": func(o *Options, value string) error {
		op, axis, ok := strings.Cut(value, ":")
		n, err := strconv.Atoi(axis)
		if !ok || err != nil {
			return fmt.Errorf("expected an operator and an axis, as in MatMul:0")
		}
		if o.ChannelAxes == nil {
			o.ChannelAxes = map[string]int{}
		}
		o.ChannelAxes[op] = n
		return nil
	},
}

func onOff(field func(*Options) *bool) func(*Options, string) error {
	return func(o *Options, value string) error {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("expected 1 or 0")
		}
		*field(o) = on
		return nil
	}
}

// Extras returns the names that Set knows, sorted.
func Extras() []string { return slices.Sorted(maps.Keys(extras)) }

// Set sets an option by its name in the reference's extra_options. Lists are separated by commas,
// and the axis of an operator's channels is written OP:AXIS.
func (o *Options) Set(name, value string) error {
	set, ok := extras[name]
	if !ok {
		return fmt.Errorf("no extra option is called %q, only %s", name, strings.Join(Extras(), ", "))
	}
	if err := set(o, value); err != nil {
		return fmt.Errorf("%s is %q, %w", name, value, err)
	}
	return nil
}
