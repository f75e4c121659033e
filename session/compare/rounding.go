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

// Precise is a truth that can also compute its answer in a wider type. The difference between the
// two answers is the effect of its own rounding. A model that rounds differently may show the same
// effect without being wrong: some networks enlarge small differences, for example by refining a
// result repeatedly or by dividing by a variance close to 0.
type Precise interface {
	Truth
	// Precisely does what Run does, but computes in float64. It is called if an output exceeds its
	// tolerance. An error of it has no effect.
	Precisely(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error)
}

// RoundingSlack is how many times as far from the precise answer a model may be as the truth itself
// is. It is above 1 because the two round at different places, so that their largest errors differ.
// Package proof allows the same.
const RoundingSlack = 10

// MinOwnSNR is the signal-to-noise ratio, in dB, between the truth's answer and its own precise
// answer that is required, by the type that it computes in. Below it, rounding dominates the
// answer, and RoundingSlack times that would hide a fault. A float32 network has 100 to 140 dB, and
// each bit less costs 6.
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

// weighRounding reconsiders outputs that exceed the tolerance of their type. They pass if they are
// at most RoundingSlack times as far from the precise answer as the truth itself. They are not
// judged if the truth's own rounding error is too large.
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

// weighed judges a result by the effect of rounding on a, where x is the precise answer.
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
		return r.unjudged(fmt.Sprintf("%s itself is off by %.3g from its own result in float64 (%s): rounding dominates the result", c.report.A, own.MaxAbs, Decibels(own.SNR)))
	}
	used := max(far.MaxAbs/own.MaxAbs, far.RMS/own.RMS) / RoundingSlack
	if math.IsNaN(used) || used > 1 {
		return r
	}
	r.Rule, r.Judged = RuleRounding, Pass.Judged()
	r.used, r.ToleranceUsed = used, number(used)
	return r
}
