package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

// finish joins the cases into one result for each output and judges.
func (c *comparison) finish() {
	r := c.report
	for _, p := range r.Pairs {
		r.Outputs = append(r.Outputs, c.worstOf(p)...)
	}
	slices.SortStableFunc(r.Cases, worseCase)
	c.findUnjudged()
	r.Pass = slices.ContainsFunc(r.Outputs, func(o OutputResult) bool { return o.Unjudged == "" }) && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Decisive })
	var decisive *OutputResult
	for i := range r.Outputs {
		o := &r.Outputs[i]
		r.Pass = r.Pass && o.Pass
		if decisive == nil || c.weighsMore(*o, *decisive) {
			decisive = o
		}
	}
	if why := c.undecided(decisive); why != "" {
		r.Undecided, r.Verdict = true, "undecided: "+why
		return
	}
	r.Verdict = c.verdict(decisive)
}

// undecided tells why there is nothing to judge by, "" where there is.
func (c *comparison) undecided(decisive *OutputResult) string {
	r := c.report
	if r.Pass || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Decisive }) {
		return ""
	}
	switch {
	case decisive != nil && !decisive.Pass:
		return ""
	case c.both == 0 && c.words.truth:
		return fmt.Sprintf("there is nothing to judge by; %s", r.Findings[0])
	case c.both > 0 && len(r.Outputs) > 0 && decisive.Unjudged != "":
		return fmt.Sprintf("no output can be judged; %s: %s", decisive.place(), decisive.Unjudged)
	}
	return ""
}

// worstOf is the worst case of a pair, none if no case compared it, with the
// rows of all cases.
func (c *comparison) worstOf(p Pair) []OutputResult {
	var worst *OutputResult
	for _, one := range c.report.Cases {
		for i, o := range one.Outputs {
			if o.Name == p.A && (worst == nil || worse(o, *worst)) {
				worst = &one.Outputs[i]
			}
		}
	}
	if worst == nil {
		return nil
	}
	all := *worst
	all.setRows(p.all.rowsAgree, p.all.rows, p.all.among, p.all.topRows)
	if worst.SNR != nil {
		all.SNRAll = number(p.all.snr())
	}
	if all.Rule == RuleSNR {
		all.Pass = p.all.sound()
	}
	all.Pass = all.Pass && c.classesAgree(p)
	return []OutputResult{all}
}

// classesAgree reports whether both sides choose the same class often enough.
func (c *comparison) classesAgree(p Pair) bool {
	return !p.classes || float64(p.all.rowsAgree) >= c.minArgmax()*float64(p.all.rows) &&
		float64(p.all.among) >= MinTopKAgree*float64(p.all.topRows)
}

// findUnjudged makes findings of what was compared and decides nothing.
func (c *comparison) findUnjudged() {
	for _, one := range c.report.Cases {
		for _, o := range one.Outputs {
			if o.Unjudged != "" {
				c.find(Finding{Case: one.Name, Output: o.Name, Reason: o.Unjudged})
			}
		}
	}
}

// worseCase orders cases: those that fail, those that did not run, and of the others
// the one that comes nearest to failing first.
func worseCase(x, y CaseResult) int {
	rank := func(r CaseResult) int {
		switch {
		case !r.Pass:
			return 0
		case !r.ran:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.used, x.used))
}

// weighsMore orders outputs for the verdict: a failure first, then the smaller
// margin, measured in shares of what the rule allows.
func (c *comparison) weighsMore(x, y OutputResult) bool {
	if x.Pass != y.Pass {
		return !x.Pass
	}
	return x.Strain() > y.Strain()
}

// Strain is how near an output comes to failing, in shares of what its rule allows: 1 is
// the limit.
func (r OutputResult) Strain() float64 {
	if r.ToleranceUsed != nil { // of a report that was read
		r.used = float64(*r.ToleranceUsed)
	}
	switch {
	case r.Unjudged != "":
		return 0
	case r.Reason != "":
		return math.Inf(1)
	case r.Rule == RuleSNR && r.SNRAll != nil:
		return math.Pow(10, (MinSNR-float64(*r.SNRAll))/10)
	case r.Rule == RuleSNR:
		return math.Pow(10, (MinSNR-r.snr())/10)
	case r.ToleranceUsed == nil && r.Mismatched > 0: // texts
		return math.Inf(1)
	}
	return r.used
}

// verdict is the line that says what decided, safe to print.
func (c *comparison) verdict(decisive *OutputResult) string {
	r := c.report
	switch {
	case r.Pass:
		return "pass: " + c.passing(*decisive) + c.remark()
	case decisive != nil && !decisive.Pass:
		return "fail: " + c.failing(*decisive)
	case c.both == 0:
		return fmt.Sprintf("fail: no case ran on both sides; %s", r.Findings[0])
	case len(r.Pairs) == 0:
		return "fail: no output of a can be compared with one of b; see findings"
	}
	decided := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Decisive })
	return "fail: " + r.Findings[decided].String()
}

// quote makes a name safe to print.
func quote(name string) string { return `"` + text.Clean(name) + `"` }

// String names the thing that could not be compared, and why, safe to print.
func (f Finding) String() string { return f.in([]string{f.Case}) }

// in is String of a finding that is the same in several cases.
func (f Finding) in(cases []string) string {
	var what []string
	switch {
	case len(cases) > 1:
		what = append(what, "cases "+graphops.QuoteNames(cases))
	case cases[0] != "":
		what = append(what, "case "+quote(cases[0]))
	}
	if f.Output != "" {
		what = append(what, "output "+quote(f.Output))
	}
	switch f.Side {
	case "a", "b":
		what = append(what, "on side "+f.Side)
	case "both":
		what = append(what, "on both sides")
	}
	if len(what) == 0 {
		return text.Clean(f.Reason)
	}
	return strings.Join(what, " ") + ": " + text.Clean(f.Reason)
}

// passing says how near the output that came nearest to failing came.
func (c *comparison) passing(o OutputResult) string {
	switch {
	case o.Rule == RuleExact:
		return "every element of every output is equal" + c.rows(o)
	case o.Rule != RuleSNR && o.used == 0:
		return fmt.Sprintf("every element of every output is equal; %s was allowed%s", o.limit(), c.rows(o))
	case o.Rule == RuleSNR:
		return fmt.Sprintf("judged as quantized, by signal-to-noise ratio: lowest is output %s with %s%s", quote(o.Name), c.signal(o), c.rows(o))
	}
	return fmt.Sprintf("every output within its tolerance; nearest to it is %s at %s of %s%s", o.place(), percent(o.used), o.limit(), c.rows(o))
}

// failing says what is outside of what.
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
		return fmt.Sprintf("%s: %d of %d elements outside %s, the worst by a factor of %.3g%s", o.place(), o.Mismatched, o.Total, o.limit(), o.used, c.words.of(o.Worst))
	}
	return "output " + quote(o.Name) + strings.Replace(c.rows(o), ";", ":", 1)
}

// pairOf is the pair that a result is of.
func (c *comparison) pairOf(o OutputResult) Pair {
	i := slices.IndexFunc(c.report.Pairs, func(p Pair) bool { return p.A == o.Name })
	return c.report.Pairs[i]
}

// signal says how much signal is left of a quantized model's output.
func (c *comparison) signal(o OutputResult) string {
	all := c.pairOf(o).all
	return fmt.Sprintf("%s over all cases and at least %d dB in %d of %d (at least %d dB and %s wanted); worst is case %s with %s",
		decibels(all.snr()), MinSNR, all.passed, all.cases, MinSNR, percent(MinCases), quote(o.Case), decibels(o.snr()))
}

// rows says in how many rows both sides choose the same class, if classes there
// are.
func (c *comparison) rows(o OutputResult) string {
	p := c.pairOf(o)
	if !p.classes || p.all.rows == 0 {
		return ""
	}
	line := fmt.Sprintf("; the highest score agrees in %d of %d rows (%s, at least %s wanted)",
		p.all.rowsAgree, p.all.rows, percent(float64(p.all.rowsAgree)/float64(p.all.rows)), percent(c.minArgmax()))
	if c.o.Quantized && p.all.topRows > 0 {
		line += fmt.Sprintf(" and is among the %d highest of b in %d of %d (%s, at least %s wanted)",
			tensor.TopK, p.all.among, p.all.topRows, percent(float64(p.all.among)/float64(p.all.topRows)), percent(MinTopKAgree))
	}
	return line
}

// remark says that something was left out of a judgement that passed.
func (c *comparison) remark() string {
	notRun, others := 0, 0
	for _, f := range c.report.Findings {
		if f.NotRun {
			notRun++
		} else {
			others++
		}
	}
	line := ""
	if others > 0 {
		line = fmt.Sprintf("; not compared: %d, see findings", others)
	}
	if notRun > 0 {
		line += fmt.Sprintf("; not run: %d, see findings", notRun)
	}
	return line
}

func (r OutputResult) place() string {
	return "output " + quote(r.Name) + " in case " + quote(r.Case)
}

func (r OutputResult) limit() string {
	if r.Rule == RuleRounding {
		return fmt.Sprintf("%d times what rounding does to a by itself, %.3g (outside of rtol %g atol %.3g)", RoundingSlack, float64(r.Own.MaxAbs), r.Tolerance.RTol, r.Tolerance.ATol)
	}
	return fmt.Sprintf("rtol %g atol %.3g (%s)", r.Tolerance.RTol, r.Tolerance.ATol, r.Why)
}

func decibels(snr float64) string {
	switch {
	case math.IsInf(snr, 1):
		return "infinite dB"
	case math.IsInf(snr, -1):
		return "no signal"
	}
	return fmt.Sprintf("%.1f dB", snr)
}

// percent writes a share with the digits that matter: none of 99.96 % may look
// like all of it.
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
