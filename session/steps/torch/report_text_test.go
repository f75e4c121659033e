package torch

import (
	"strings"
	"testing"

	"lathe/session/compare"
	"lathe/session/sides"
)

// A quantized model is judged by its signal-to-noise ratio, and the headline does not claim a
// tolerance that is exceeded.
func TestTorchHeadlineOfQuantized(t *testing.T) {
	for _, c := range []struct {
		output compare.OutputResult
		want   string
	}{
		{compare.OutputResult{Rule: compare.RuleSNR, Mismatched: 1}, "but not equal within tolerance"},
		{compare.OutputResult{Rule: compare.RuleSNR}, "and equal to PyTorch within tolerance"},
		{compare.OutputResult{Rule: compare.RuleTolerance}, "and equal to PyTorch within tolerance"},
	} {
		r := &torchReport{Model: &exported{}, taken: &attempt{Validation: &sides.Report{Report: &compare.Report{Outputs: []compare.OutputResult{c.output}}}}}
		if got := r.headline(); !strings.HasSuffix(got, c.want) {
			t.Errorf("rule %s, %d outside: %q does not end with %q", c.output.Rule, c.output.Mismatched, got, c.want)
		}
	}
}
