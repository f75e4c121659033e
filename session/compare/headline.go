package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

// headline returns in words what decided the verdict. It is safe to print.
func (c *comparison) headline(v Verdict) string {
	switch v {
	case Pass:
		return c.passing(*c.decisive()) + c.remark()
	case Fail:
		return c.failure()
	}
	return c.undecided()
}

// failure returns what decides against B.
func (c *comparison) failure() string {
	r := c.report
	switch o := c.decisive(); {
	case o != nil && o.Verdict == Fail:
		return c.failing(*o)
	case c.both == 0:
		return fmt.Sprintf("no case ran on both sides; %s", r.Findings[0])
	case len(r.Pairs) == 0:
		return "no output of a can be compared with one of b; see findings"
	}
	decided := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Decisive })
	return r.Findings[decided].String()
}

// undecided returns which outputs were not judged, and why.
func (c *comparison) undecided() string {
	r := c.report
	switch {
	case r.neither != nil:
		return "nothing was compared, no case ran on either side: " + text.CleanLine(r.neither.Error())
	case c.both == 0 && c.words.truth && len(r.Findings) > 0:
		return fmt.Sprintf("there is nothing to compare with; %s", r.Findings[0])
	case c.both == 0 && len(r.Findings) > 0:
		return fmt.Sprintf("nothing was compared, no case ran; %s", r.Findings[0])
	case c.both == 0:
		return "nothing was compared, there are no cases"
	}
	silent := c.silent()
	line := "nothing was compared, the models have no outputs"
	if at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Unread }); len(silent) > 0 {
		line = c.silence(silent)
	} else if at >= 0 {
		line = r.Findings[at].String()
	}
	if others := c.judgedOutputs(); others > 0 {
		line += fmt.Sprintf("; all that can be judged passes, %s", text.Plural(others, "output")) + c.remark()
	}
	return line
}

// silence explains why outputs could not be judged in any case.
func (c *comparison) silence(outputs []OutputResult) string {
	o := outputs[0]
	line := "output " + quote(o.Name) + " cannot be judged in case " + quote(o.Case) + ": " + text.Clean(o.Unjudged)
	if cases, same := c.casesWith(o); cases > 1 {
		line = fmt.Sprintf("output %s cannot be judged in any of %d cases: %s", quote(o.Name), cases, text.Clean(o.Unjudged))
		if same < cases {
			line += fmt.Sprintf(" in %d of them", same)
		}
	}
	if more := len(outputs) - 1; more > 0 {
		line += fmt.Sprintf("; nor can %s", text.Plural(more, "other output"))
	}
	return line
}

// casesWith counts the cases in which the output of o occurs, and among them those in which it is
// not judged for the same reason as in o.
func (c *comparison) casesWith(o OutputResult) (cases, same int) {
	for _, one := range c.report.Cases {
		for _, other := range one.Outputs {
			if other.Name == o.Name {
				cases++
				if other.Unjudged == o.Unjudged {
					same++
				}
			}
		}
	}
	return cases, same
}

// passing describes how near o, the output nearest to failing, comes to its limit.
func (c *comparison) passing(o OutputResult) string {
	switch {
	case o.Rule == RuleExact || o.Rule == RuleTies:
		return "every element of every output is equal" + c.tied() + c.rows(o)
	case o.Rule != RuleSNR && o.used == 0:
		return fmt.Sprintf("every element of every output is equal%s; %s was allowed%s", c.tied(), o.limit(), c.rows(o))
	case o.Rule == RuleSNR:
		return fmt.Sprintf("judged as quantized, by signal-to-noise ratio: output %s, %s%s", c.lowest(o), c.signal(o), c.rows(o))
	}
	return fmt.Sprintf("every output within its tolerance%s; nearest to it is %s at %s of %s%s", c.tied(), o.place(), percent(o.used), o.limit(), c.rows(o))
}

// tied names the outputs of indices that differ but pass, because they choose equal values. It is
// empty if there are none.
func (c *comparison) tied() string {
	var names []string
	cases := 0
	for _, one := range c.report.Cases {
		before := cases
		for _, o := range one.Outputs {
			if o.Rule != RuleTies {
				continue
			}
			cases = before + 1
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	if cases == 0 {
		return ""
	}
	return fmt.Sprintf(", except that indices of %s differ where they choose equal values, in %s", text.Clean(graphops.QuoteNames(names)), text.Plural(cases, "case"))
}

// failing returns which output exceeds which limit, and by how much.
func (c *comparison) failing(o OutputResult) string {
	switch {
	case o.Reason != "":
		return fmt.Sprintf("%s: %s", o.place(), text.Clean(o.Reason))
	case o.NaNMismatched+o.InfMismatched > 0:
		return fmt.Sprintf("%s: of %d elements, %d are NaN and %d infinite on one side only, the first%s", o.place(), o.Total, o.NaNMismatched, o.InfMismatched, c.words.of(o.Worst))
	case o.Rule == RuleSNR && !c.pairOf(o).all.sound():
		return fmt.Sprintf("output %s: judged as quantized, signal-to-noise ratio %s", quote(o.Name), c.signal(o))
	case o.Rule == RuleExact && o.Mismatched > 0:
		return fmt.Sprintf("%s: %d of %d elements differ, the worst%s", o.place(), o.Mismatched, o.Total, c.words.of(o.Worst))
	case o.Rule != RuleSNR && o.Mismatched > 0:
		return fmt.Sprintf("%s: %d of %d elements outside %s, the worst by a factor of %.3g%s%s", o.place(), o.Mismatched, o.Total, o.limit(), o.used, c.words.of(o.Worst), o.extent())
	}
	return "output " + quote(o.Name) + strings.Replace(c.rows(o), ";", ":", 1)
}

// pairOf returns the pair that a result belongs to.
func (c *comparison) pairOf(o OutputResult) Pair {
	i := slices.IndexFunc(c.report.Pairs, func(p Pair) bool { return p.A == o.Name })
	return c.report.Pairs[i]
}

// lowest names the output with the lowest signal-to-noise ratio, and says that others have more.
func (c *comparison) lowest(o OutputResult) string {
	if n := len(c.report.Pairs); n > 1 {
		return fmt.Sprintf("%s, the lowest of %d", quote(o.Name), n)
	}
	return quote(o.Name)
}

// signal describes the signal-to-noise ratio of a quantized model's output.
func (c *comparison) signal(o OutputResult) string {
	all := c.pairOf(o).all
	return fmt.Sprintf("%s over all cases and at least %d dB in %d of %d (at least %d dB and %s required); its worst case is %s with %s%s",
		Decibels(all.snr()), MinSNR, all.passed, all.cases, MinSNR, percent(minCases), quote(o.Case), Decibels(o.snr()), c.largestIn(o))
}

// largestIn is the largest difference of an output in all cases, as the end of a sentence about the case
// with the lowest signal-to-noise ratio. It is "" if no case has one.
func (c *comparison) largestIn(o OutputResult) string {
	most := c.report.LargestOf(o.Name)
	switch {
	case most == nil:
		return ""
	case most.Case == o.Case:
		return most.largest()
	}
	return fmt.Sprintf("%s in %s", most.largest(), quote(most.Case))
}

// LargestOf returns the result with the largest difference that an output has in any case, or nil.
func (r *Report) LargestOf(output string) *OutputResult {
	var most *OutputResult
	for i := range r.Cases {
		for k := range r.Cases[i].Outputs {
			if o := &r.Cases[i].Outputs[k]; o.Name == output && o.MaxAbs != nil && (most == nil || *o.MaxAbs > *most.MaxAbs) {
				most = o
			}
		}
	}
	return most
}

// extent says how large the difference is by the measures of quantized models, so that models that are
// judged by different rules can be compared. It is "" if the measures are not known.
func (r OutputResult) extent() string {
	if snr := r.snr(); r.MaxAbs != nil && !math.IsInf(snr, 0) {
		return fmt.Sprintf("; signal-to-noise ratio %s%s", Decibels(snr), r.largest())
	}
	return ""
}

// largest is the largest difference as the end of a sentence, or "" if it is not known.
func (r OutputResult) largest() string {
	if r.MaxAbs == nil {
		return ""
	}
	return fmt.Sprintf(", largest difference %.3g", float64(*r.MaxAbs))
}

// rows says in how many rows both sides choose the same class. It is empty if the output has no
// classes.
func (c *comparison) rows(o OutputResult) string {
	p := c.pairOf(o)
	if !p.classes || p.all.rows == 0 {
		return ""
	}
	line := fmt.Sprintf("; the highest score agrees in %d of %d rows (%s, at least %s required)",
		p.all.rowsAgree, p.all.rows, percent(float64(p.all.rowsAgree)/float64(p.all.rows)), percent(c.minArgmax()))
	if c.o.Quantized && p.all.topRows > 0 {
		line += fmt.Sprintf(" and the highest of a is among the %d highest of b in %d of %d (%s, at least %s required)",
			tensor.TopK, p.all.among, p.all.topRows, percent(float64(p.all.among)/float64(p.all.topRows)), percent(minTopKAgree))
	}
	return line
}

// remark returns what the verdict does not cover: cases that were not compared, and outputs that
// only B has.
func (c *comparison) remark() string {
	line := c.leftOut()
	if reached := c.reach.String(); reached != "" {
		line += "; " + reached
	}
	var alone []string
	others := false
	for _, f := range c.report.Findings {
		switch {
		case f.Case != "" || f.Unread:
		case f.Output != "":
			alone = append(alone, f.Output)
		default:
			others = true
		}
	}
	if len(alone) > 0 {
		line += fmt.Sprintf("; not compared, only b has: %s", text.Clean(graphops.QuoteNames(alone)))
	}
	if others {
		line += "; see findings"
	}
	return line
}

func (r OutputResult) place() string {
	return "output " + quote(r.Name) + " in case " + quote(r.Case)
}

func (r OutputResult) limit() string {
	if r.Rule == RuleRounding {
		return fmt.Sprintf("%d times the rounding error of a itself, %.3g (outside of rtol %g atol %.3g)", roundingSlack, float64(r.Own.MaxAbs), r.Tolerance.RTol, r.Tolerance.ATol)
	}
	return fmt.Sprintf("rtol %g atol %.3g (%s)", r.Tolerance.RTol, r.Tolerance.ATol, r.Why)
}

// Decibels writes a signal-to-noise ratio.
func Decibels(snr float64) string {
	switch {
	case math.IsInf(snr, 1):
		return "infinite dB"
	case math.IsInf(snr, -1):
		return "no signal"
	}
	return fmt.Sprintf("%.1f dB", snr)
}

// percent writes a fraction as a percentage. It rounds so that 99.996 % does not become 100 %.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p == math.Trunc(p):
		return fmt.Sprintf("%.0f %%", p)
	case p > 99 && p < 100:
		return fmt.Sprintf("%.2f %%", math.Floor(p*100)/100)
	}
	return fmt.Sprintf("%.3g %%", p)
}
