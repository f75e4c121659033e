package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// Precise is a Truth that can also run in float64. The difference between its two results is its
// own rounding error. If B is wrong by a similar amount, rounding explains that, and B is not at
// fault: some networks enlarge small differences, for example by refining a result repeatedly or by
// dividing by a variance close to 0.
type Precise interface {
	Truth
	// Precisely does what Run does, but computes in float64. It is called if an output exceeds its
	// tolerance. If it fails, the output fails too.
	Precisely(ctx context.Context, in graphops.Feeds) ([]execution.Got, error)
}

// RoundingSlack is how many times A's own rounding error the error of B may be. It is above 1
// because the two models round at different places, so that their largest errors differ. Package
// proof allows the same factor.
const RoundingSlack = 10

// MinOwnSNR is the signal-to-noise ratio, in dB, that A must have compared with its own result in
// float64. It depends on the types in which the models compute. If the ratio is lower, rounding
// dominates A's result, and an error of RoundingSlack times that would hide a fault. A float32
// network has 100 to 140 dB. Each bit less of precision costs 6 dB.
func MinOwnSNR(types ...tensor.DType) float64 {
	switch {
	case slices.Contains(types, tensor.BF16):
		return 25
	case slices.Contains(types, tensor.F16):
		return 40
	}
	return 60
}

// Rounding is how far A is from its own result in float64.
type Rounding struct {
	MaxAbs tensor.Number `json:"max_abs"`
	RMS    tensor.Number `json:"rms"`
	SNR    tensor.Number `json:"snr_db"`
}

// weighRounding judges again the outputs that exceed the tolerance of their type. An output passes
// if it is at most RoundingSlack times as far from A's result in float64 as A is. It is not judged
// if A's own rounding error is too large.
func (c *comparison) weighRounding(ctx context.Context, one inputs.Case, got answers, results []OutputResult) {
	var exact []execution.Got
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

// weighed judges one result again. a and b are the outputs, and x is the output that A computes in
// float64.
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
