//go:build cgo && soak

package quantization

import (
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/tensor"
)

// hostileWays are the ways of TestQuantizeStaticHostile, and each with one more option.
func hostileWays() []hostileWay {
	out := staticWays()
	for _, w := range staticWays() {
		o := w.o
		pairs := o.Format == static.FormatQDQ
		for _, change := range []struct {
			takes bool
			more  string
			set   func(*static.Options)
		}{
			{true, "ReduceRange", func(o *static.Options) { o.ReduceRange = true }},
			{true, "Force", func(o *static.Options) { o.Force = true }},
			{true, "ActivationSymmetric", func(o *static.Options) { o.ActivationSymmetric = true }},
			{true, "WeightSymmetric", func(o *static.Options) { o.WeightSymmetric = quant.Asymmetric }},
			{true, "MinimumRealRange", func(o *static.Options) { o.MinimumRealRange = 0.001 }},
			{o.ActivationType == tensor.U8, "RestrictedAsymmetric", func(o *static.Options) { o.RestrictedAsymmetric = true }},
			{pairs, "DedicatedPairs", func(o *static.Options) { o.DedicatedPairs = true }},
			{pairs, "PairAtWeights", func(o *static.Options) { o.PairAtWeights = true }},
			{pairs, "ContribOps", func(o *static.Options) { o.ContribOps = true }},
			{pairs, "KeepRemovable", func(o *static.Options) { o.KeepRemovable = true }},
			{pairs, "KeepWeightScales", func(o *static.Options) { o.KeepWeightScales = true }},
			{pairs, "QuantizeBias", func(o *static.Options) { o.QuantizeBias = false }},
			{pairs, "FloatOutputs", func(o *static.Options) { o.FloatOutputs = []string{"MatMul", "Conv", "Split"} }},
			{pairs, "WeightType", func(o *static.Options) { o.WeightType = tensor.I4 }},
			{!pairs, "ConstantFactors", func(o *static.Options) { o.ConstantFactors = true }},
		} {
			if change.takes {
				x := o
				change.set(&x)
				out = append(out, hostileWay{x, change.more})
			}
		}
	}
	return out
}

// dataWays are the ways of TestQuantizeStaticOnHostileData.
func dataWays() []*Quantization {
	var out []*Quantization
	for _, format := range []string{"qdq", "qoperator"} {
		for _, method := range []string{"minmax", "entropy", "percentile", "distribution"} {
			out = append(out, &Quantization{staticFlags: staticFlags{Format: format}, rangeFlags: rangeFlags{Calibration: method}})
		}
	}
	return out
}
