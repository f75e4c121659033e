package quantization

import (
	"fmt"

	"lathe/bench"
	"lathe/session/compare"
	"lathe/session/text"
)

// worse says in which ways the result is less accurate than the original.
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
	return out
}

// speed compares the times of the original and the result in a line, with the conditions. It is "" if
// they were not measured.
func (t *trialReport) speed() string {
	c := t.comparison()
	if c == nil {
		return ""
	}
	noise := t.Bench.PairNoise(*c)
	said := "no difference that is certain at 99 %"
	switch {
	case c.Significant && c.Centre() > 1:
		said = "slower"
	case c.Significant:
		said = "faster"
	}
	if c.Significant && noise != "" {
		said += ", with noisy times"
	}
	between := ""
	if c.CI95 != nil {
		between = fmt.Sprintf(" (95 %% between %.4g and %.4g)", float64(c.CI95[0]), float64(c.CI95[1]))
	}
	line := fmt.Sprintf("speed: %s, %.4g × the time%s", said, c.Centre(), between)
	if runs := t.Bench.Report.Runs; len(runs) == 2 {
		threads := "threads chosen by ONNX Runtime"
		if runs[1].Threads > 0 {
			threads = text.Plural(int(runs[1].Threads), "thread")
		}
		inputs := "inputs from the data"
		if !t.OnData {
			inputs = "generated inputs"
		}
		line += fmt.Sprintf("; p50 %s → %s, batch %d, %s, %s", bench.Latency(runs[0].P50), bench.Latency(runs[1].P50), max(runs[1].Batch, 1), inputs, threads)
	}
	if noise != "" {
		line += "; " + noise
	}
	if c.IsApart() {
		line += "; " + bench.RatioOfPairs
	}
	return line
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

// lines returns the lines about the trial, safe to print, except those that worse returns: accuracy,
// speed, then advice.
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
		for _, a := range v.Accuracy {
			out = append(out, fmt.Sprintf("accuracy of %q on %s: %.4g %%, was %.4g %%", text.Clean(a.Output), text.Plural(int(a.Rows), "label"), 100*float64(a.B), 100*float64(a.A)))
		}
	}
	if line := t.speed(); line != "" {
		out = append(out, line)
	}
	switch line := t.saturates(); {
	case line != "":
		out = append(out, line)
	case t.Validation != nil && t.Validation.Saturation != nil:
		out = append(out, "reason: "+t.Validation.Saturation.String())
	}
	return out
}
