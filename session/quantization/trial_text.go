package quantization

import (
	"fmt"

	"lathe/bench"
	"lathe/session/compare"
	"lathe/session/text"
)

// worse says in which ways the result is worse than the original. It is the beginning of the
// report.
func (t *trialReport) worse() []string {
	if t == nil {
		return nil
	}
	var out []string
	if v := t.Validation; v != nil {
		for _, a := range v.Accuracy {
			if a.B < a.A {
				out = append(out, fmt.Sprintf("less accurate: %q is right in %.4g %% of %d, was %.4g %%", a.Output, 100*float64(a.B), a.Rows, 100*float64(a.A)))
			}
		}
		switch {
		case v.Pass:
		case v.Verdict == compare.Undecided && t.OnData:
			out = append(out, "accuracy "+v.Headline)
		case v.Verdict == compare.Undecided:
			out = append(out, "accuracy "+v.Headline+"; --data tries it on your data")
		case t.OnData:
			out = append(out, "loses accuracy: "+v.Headline)
		default:
			out = append(out, "differs on generated inputs; --data judges it on your data: "+v.Headline)
		}
	}
	if line := t.saturates(); line != "" {
		out = append(out, line)
	}
	if c := t.comparison(); c != nil && c.Significant && c.Centre() > 1 {
		out = append(out, "slower: "+t.Bench.ComparisonHeadline(*c))
	}
	return out
}

// firstLook says how little a trial on generated inputs compares, and what compares more.
func (t *trialReport) firstLook() string {
	var rows int64
	for _, c := range t.Validation.Cases {
		if len(c.Inputs) > 0 && len(c.Inputs[0].Shape) > 0 {
			rows += c.Inputs[0].Shape[0]
		}
	}
	said := ""
	if rows > 0 {
		said = ", " + text.Plural(int(rows), "row")
	}
	return said + " (only a first look; lathe validate compares more)"
}

// comparison returns the comparison of latencies, or nil if it was not measured.
func (t *trialReport) comparison() *bench.Comparison {
	if t.Bench == nil || len(t.Bench.Comparisons) == 0 {
		return nil
	}
	return &t.Bench.Comparisons[0]
}

// lines returns the lines about the trial, safe to print, except those that worse returns.
func (t *trialReport) lines() []string {
	if t == nil {
		return nil
	}
	if t.NotRun != "" {
		return []string{"not tried: " + text.CleanLine(t.NotRun)}
	}
	var out []string
	if v := t.Validation; v != nil {
		on := "generated inputs"
		if t.OnData {
			on = "the data"
			if t.OnlyFirst {
				on = "the first part of the data, because all of it does not fit in memory"
			}
			if t.OnCalibration {
				on += " that the ranges were found on"
			}
		}
		extent := text.Plural(len(v.Cases), "case")
		if !t.OnData {
			extent += t.firstLook()
		}
		out = append(out, fmt.Sprintf("on %s, %s: %s", on, extent, text.CleanLine(v.Headline)))
		if line := v.Saturation.String(); line != "" {
			out = append(out, "reason: "+line)
		}
		if t.Reduced != nil {
			out = append(out, "with --reduce-range: "+text.CleanLine(t.Reduced.Headline))
		}
		for _, a := range v.Accuracy {
			out = append(out, fmt.Sprintf("accuracy of %q on %s: %.4g %%, was %.4g %%", text.Clean(a.Output), text.Plural(int(a.Rows), "label"), 100*float64(a.B), 100*float64(a.A)))
		}
	}
	if c := t.comparison(); c != nil {
		out = append(out, t.Bench.ComparisonHeadline(*c))
	}
	return out
}
