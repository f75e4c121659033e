package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
)

// finish combines the cases into one result for each output and sets the verdict of the whole
// comparison.
func (c *comparison) finish() {
	r := c.report
	c.doubtDrawn()
	for _, one := range r.Cases {
		c.reach.take(one.family, one)
	}
	for _, p := range r.Pairs {
		r.Outputs = append(r.Outputs, c.worstOf(p)...)
	}
	slices.SortStableFunc(r.Cases, worseCase)
	if c.ran > 0 {
		r.neither = nil
	}
	v := verdictOf(c.counting(), r.Findings)
	r.Settle(v, c.headline(v))
	c.findUnjudged()
}

// doubtDrawn finds random outputs that are equal only by accident, and marks them as not judged. If
// a random output differs in one case, it can be equal in another because the inputs hide the
// random numbers. An example is a dropout of zeros.
func (c *comparison) doubtDrawn() {
	differs := map[string]bool{}
	for _, one := range c.report.Cases {
		for _, o := range one.Outputs {
			differs[o.Name] = differs[o.Name] || o.draws != "" && o.Mismatched > 0
		}
	}
	for i := range c.report.Cases {
		one, doubted := &c.report.Cases[i], false
		for k, o := range one.Outputs {
			if o.draws != "" && o.Verdict == Pass && differs[o.Name] {
				one.Outputs[k], doubted = o.unjudged("it is random, made by "+o.draws+": on these inputs that does not show"), true
			}
		}
		if doubted {
			one.Judged = verdictOf(one.Outputs, c.findingsIn(one.Name)).Judged()
		}
	}
}

// findingsIn returns the findings of one case.
func (c *comparison) findingsIn(name string) []Finding {
	return slices.DeleteFunc(slices.Clone(c.report.Findings), func(f Finding) bool { return f.Case != name })
}

// counting returns the outputs that count for the overall verdict. An undecided output does not
// count if another output with the same part was judged, such as another element of the same
// sequence.
func (c *comparison) counting() []OutputResult {
	silent := c.silent()
	return slices.DeleteFunc(slices.Clone(c.report.Outputs), func(o OutputResult) bool {
		return o.Verdict == Undecided && !slices.ContainsFunc(silent, func(s OutputResult) bool { return s.Name == o.Name })
	})
}

// silent returns the outputs that were judged in no case. An element of a sequence is left out if
// another element of the sequence was judged: cases have different numbers of elements, and a case
// may have none.
func (c *comparison) silent() []OutputResult {
	spoken := map[part]bool{}
	for _, o := range c.report.Outputs {
		if p := c.pairOf(o); o.Verdict != Undecided {
			spoken[p.part], spoken[part{of: p.part.of}] = true, true
		}
	}
	var silent []OutputResult
	for _, o := range c.report.Outputs {
		if o.Verdict == Undecided && !spoken[c.pairOf(o).part] {
			silent = append(silent, o)
		}
	}
	return silent
}

// judgedOutputs counts the outputs that were judged in some case.
func (c *comparison) judgedOutputs() int {
	n := 0
	for _, o := range c.report.Outputs {
		if o.Verdict != Undecided {
			n++
		}
	}
	return n
}

// decisive returns the output that decides the verdict: the one that fails by most or, if none
// fails, the one nearest to failing. It is nil if there are no outputs.
func (c *comparison) decisive() *OutputResult {
	var decisive *OutputResult
	for i := range c.report.Outputs {
		if o := &c.report.Outputs[i]; decisive == nil || weighsMore(*o, *decisive) {
			decisive = o
		}
	}
	return decisive
}

// worstOf returns the worst case of a pair, with the numbers of rows over all cases. The result is
// empty if no case compared the pair.
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
	sound := all.Pass
	if all.Rule == RuleSNR {
		sound = p.all.sound()
	}
	if all.Verdict != Undecided {
		all.Judged = judgedBy(sound && c.classesAgree(p))
	}
	return []OutputResult{all}
}

// classesAgree reports whether both sides choose the same class often enough.
func (c *comparison) classesAgree(p Pair) bool {
	return !p.classes || float64(p.all.rowsAgree) >= c.minArgmax()*float64(p.all.rows) &&
		float64(p.all.among) >= minTopKAgree*float64(p.all.topRows)
}

// findUnjudged adds a finding for each result that is not judged.
func (c *comparison) findUnjudged() {
	for _, one := range c.report.Cases {
		for _, o := range one.Outputs {
			if o.Unjudged != "" {
				c.find(Finding{Case: one.Name, Output: o.Name, Reason: o.Unjudged})
			}
		}
	}
}

// worseCase compares two cases for sorting: first those that fail, then those that did not run,
// then the others. Among equals, the case that comes nearest to its limit, or exceeds it most,
// comes first.
func worseCase(x, y CaseResult) int {
	rank := func(r CaseResult) int {
		switch {
		case r.Verdict == Fail:
			return 0
		case !r.ran:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.used, x.used))
}

// weighsMore reports whether x matters more for the verdict than y. Failures matter most, then
// outputs that use more of their limit.
func weighsMore(x, y OutputResult) bool {
	if (x.Verdict == Fail) != (y.Verdict == Fail) {
		return x.Verdict == Fail
	}
	return x.Strain() > y.Strain()
}

// Strain returns how much of its limit an output uses. 1 is exactly the limit, and the output fails
// above that.
func (r OutputResult) Strain() float64 {
	if r.ToleranceUsed != nil { // a report that was read from JSON has only this
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
	case r.ToleranceUsed == nil && r.Mismatched > 0: // texts have no tolerance
		return math.Inf(1)
	}
	return r.used
}

// quote quotes a name so that it is safe to print.
func quote(name string) string { return `"` + text.Clean(name) + `"` }

// String returns what the finding is about and the reason, safe to print.
func (f Finding) String() string { return f.in([]string{f.Case}) }

// in returns the text of String for a finding that several cases share.
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
