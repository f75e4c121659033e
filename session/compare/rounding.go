package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// Precise is a truth that can also answer in a wider type than it computes in. How far its own
// answers are from those is what rounding does to it, and no fault of a model that rounds
// otherwise: a network that refines its result over and over, or divides by a variance of almost
// nothing, makes much of little.
type Precise interface {
	Truth
	// Precisely gives what Run does, computed in float64. It is asked where an output is
	// outside of its tolerance, and an error of it says nothing.
	Precisely(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error)
}

// RoundingSlack is how many times as far from the precise answer a model may be as the truth by
// itself is: the two round at other places, and the largest error of one is not that of the other.
// Package proof allows as much.
const RoundingSlack = 10

// MinOwnSNR is the signal-to-noise ratio, in dB, that the truth must have of itself, by the type
// that it computes in. Below it the answer is so much made by rounding that RoundingSlack times
// that would hide a fault. A float32 network has 100 to 140 dB, and each bit less of a type
// costs 6.
func MinOwnSNR(types ...tensor.DType) float64 {
	switch {
	case slices.Contains(types, tensor.BF16):
		return 25
	case slices.Contains(types, tensor.F16):
		return 40
	}
	return 60
}

// Rounding is how far a truth is from its own answer in float64.
type Rounding struct {
	MaxAbs tensor.Number `json:"max_abs"`
	RMS    tensor.Number `json:"rms"`
	SNR    tensor.Number `json:"snr_db"`
}

// weighRounding looks at outputs that are outside of the tolerance of their type: those that are
// no farther from the precise answer than the truth itself, but for RoundingSlack, pass, and those
// on which the truth does not know its own answer are not judged.
func (c *comparison) weighRounding(ctx context.Context, one inputs.Case, got answers, results []OutputResult) {
	var exact []graphops.Got
	for i := range results {
		r := &results[i]
		if c.precise == nil || r.Verdict != Fail || r.Rule != RuleTolerance || r.Reason != "" || r.NaNMismatched+r.InfMismatched > 0 {
			continue
		}
		if exact == nil {
			values, err := c.precise.Precisely(ctx, one.Feeds)
			if err != nil || ctx.Err() != nil {
				return
			}
			exact = leaves(values)
		}
		x, okX := find(exact, r.Name)
		a, okA := find(got.a, r.Name)
		b, okB := find(got.b, c.pairOf(*r).B)
		if okX && okA && okB {
			*r = c.weighed(*r, x.Value.Tensor, a.Value.Tensor, b.Value.Tensor)
		}
	}
}

// weighed is a result judged by what rounding does to a, where x is precise.
func (c *comparison) weighed(r OutputResult, x, a, b tensor.Tensor) OutputResult {
	own, err := tensor.Compare(x, a, tensor.Tolerance{})
	if err != nil || onlyOneSideFinite(own) || own.Mismatched == 0 {
		return r
	}
	far, err := tensor.Compare(x, b, tensor.Tolerance{})
	if err != nil || onlyOneSideFinite(far) {
		return r
	}
	r.Own = &Rounding{tensor.Number(own.MaxAbs), tensor.Number(own.RMS), tensor.Number(own.SNR)}
	if !(own.SNR >= MinOwnSNR(a.DType, b.DType, c.o.Precision)) {
		return r.unjudged(fmt.Sprintf("%s itself is off by %.3g from what it gives in float64 (%s): rounding makes the result", c.report.A, own.MaxAbs, Decibels(own.SNR)))
	}
	used := max(far.MaxAbs/own.MaxAbs, far.RMS/own.RMS) / RoundingSlack
	if math.IsNaN(used) || used > 1 {
		return r
	}
	r.Rule, r.Judged = RuleRounding, Pass.Judged()
	r.used, r.ToleranceUsed = used, number(used)
	return r
}
