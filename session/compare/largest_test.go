package compare_test

import (
	"testing"

	"lathe/graphops/tensor"
	"lathe/session/compare"
)

// TestLargestOf finds the largest difference in another case than the one that is worst by another
// measure, and leaves out results that have none.
func TestLargestOf(t *testing.T) {
	n := func(v float64) *tensor.Number {
		x := tensor.Number(v)
		return &x
	}
	out := func(name, in string, v *tensor.Number) compare.OutputResult {
		return compare.OutputResult{Name: name, Case: in, MaxAbs: v}
	}
	r := compare.Report{Cases: []compare.CaseResult{
		{Outputs: []compare.OutputResult{out("y", "worst", n(0.1)), out("z", "worst", n(9))}},
		{Outputs: []compare.OutputResult{out("y", "largest", n(0.2)), out("z", "largest", nil)}},
		{Outputs: []compare.OutputResult{out("y", "none", nil)}},
	}}
	if got := r.LargestOf("y"); got == nil || got.Case != "largest" {
		t.Errorf("the largest difference of y is in %+v", got)
	}
	if got := r.LargestOf("z"); got == nil || got.Case != "worst" {
		t.Errorf("the largest difference of z is in %+v", got)
	}
	if got := r.LargestOf("x"); got != nil {
		t.Errorf("an output without results has %+v", got)
	}
}
