package compare

import (
	"context"

	"lathe/session/inputs"
)

// weighTies judges again the outputs of indices that differ. They pass if the indices choose equal
// values.
func (c *comparison) weighTies(ctx context.Context, one inputs.Case, got answers, results []OutputResult) {
	for i := range results {
		r := &results[i]
		if c.o.Ties == nil || r.Verdict != Fail || r.Rule != RuleExact || r.Reason != "" {
			continue
		}
		other := c.pairOf(*r).B
		a, okA := find(got.a, r.Name)
		b, okB := find(got.b, other)
		if !okA || !okB || !a.Value.IsTensor() || !b.Value.IsTensor() {
			continue
		}
		// If Ties fails, it is not known whether the values are equal, so the output still fails.
		if tied, err := c.o.Ties(ctx, one, other, a.Value.Tensor, b.Value.Tensor); err == nil && tied {
			r.Rule, r.Judged, r.used, r.ToleranceUsed = RuleTies, Pass.Judged(), 0, number(0)
		}
	}
}
