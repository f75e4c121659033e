package compare

import (
	"context"

	"lathe/session/inputs"
)

// weighTies looks at indices that differ: those that choose equal values pass.
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
		// An error says that nobody can tell: the indices stay as different as they are.
		if tied, err := c.o.Ties(ctx, one, other, a.Value.Tensor, b.Value.Tensor); err == nil && tied {
			r.Rule, r.Judged, r.used, r.ToleranceUsed = RuleTies, Pass.Judged(), 0, number(0)
		}
	}
}
