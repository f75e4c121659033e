package sides

import (
	"strings"
	"testing"

	"lathe/session/compare"
	"lathe/session/stepwise"
)

// TestStepsJudge: a comparison fails if side b differs from itself and side a does not.
func TestStepsJudge(t *testing.T) {
	of := func(v compare.Verdict) *stepwise.Report {
		if v == "" {
			return nil
		}
		return &stepwise.Report{Judged: v.Judged(), Headline: "it " + string(v)}
	}
	for _, c := range []struct {
		a, b, before, want compare.Verdict
		headline           string
		findings           int
	}{
		{compare.Pass, compare.Pass, compare.Pass, compare.Pass, "step by step b equals all at once", 0},
		{compare.Pass, compare.Fail, compare.Pass, compare.Fail, "b: it fail", 1},
		{"", compare.Fail, compare.Undecided, compare.Fail, "b: it fail", 1},
		{compare.Fail, compare.Fail, compare.Pass, compare.Pass, "both sides differ", 2},
		{compare.Fail, compare.Pass, compare.Pass, compare.Pass, "step by step b equals", 1},
		{compare.Pass, compare.Undecided, compare.Pass, compare.Pass, "b: it undecided", 1},
		{compare.Pass, compare.Fail, compare.Fail, compare.Fail, "b differs from all at once too", 1},
		{compare.Pass, "", compare.Pass, compare.Pass, "before", 0},
	} {
		report := UnrunReport("a", "b", c.before, "before")
		(&stepsReport{A: of(c.a), B: of(c.b)}).judge(report)
		if report.Verdict != c.want || !strings.Contains(report.Headline, c.headline) || len(report.Findings) != c.findings {
			t.Errorf("%+v: %s, %q, %d findings", c, report.Verdict, report.Headline, len(report.Findings))
		}
	}
}
