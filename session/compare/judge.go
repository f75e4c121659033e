package compare

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// compareOutput compares and judges one output in one case, and adds the numbers to the totals of
// the pair.
func (c *comparison) compareOutput(one inputs.Case, p *Pair, a, b graphops.Got) OutputResult {
	r := OutputResult{Name: p.A, Case: one.Name, Type: a.Value.Type.String(), Shape: a.Value.Tensor.Shape}
	how := c.ruleFor(p.A, a.Value.Tensor.DType, b.Value.Tensor.DType)
	x, y, left, back := c.counted(one, p.A, a.Value.Tensor, b.Value.Tensor)
	m, err := tensor.Compare(x, y, how.tol)
	fact, _ := factOf(c.o.Facts, p.A)
	if err == nil && (one.Family == inputs.Large || fact.Fourier) && how.scale(m) {
		m, err = tensor.Compare(x, y, how.tol)
	}
	if r.LeftOut = left; back != nil && m.Worst != nil {
		m.Worst.Index = back(m.Worst.Index)
	}
	r.Rule, r.Tolerance, r.Why = how.rule, how.tol, how.why
	switch {
	case err != nil:
		r.Reason, r.Judged = err.Error(), Fail.Judged()
	case saysNothing(m):
		r.fill(m)
		return r.unjudged(silence(m))
	case one.Family.IsExtreme() && m.NaN+m.Inf > 0 && !isFinite(x):
		r.fill(m)
		return r.unjudged("it is not finite in a itself on such inputs")
	default:
		r.fill(m)
		r.Judged = judgedBy(passes(how.rule, m))
	}
	if r.draws = c.drawn(p.A, one.Feeds); r.draws != "" {
		switch {
		case err == nil && m.Mismatched > 0:
			return r.unjudged("it is random, made by " + r.draws + ": the right value is not known")
		case err != nil && onlyShapes(a.Value.Tensor, b.Value.Tensor):
			return r.unjudged("it is random, made by " + r.draws + ", and its shape may be random too: " + err.Error())
		}
	}
	p.all.add(r, m)
	return r
}

// saysNothing reports whether two equal tensors prove nothing, because they have no elements or
// only NaN. Many wrong models would give the same result.
func saysNothing(m tensor.Metrics) bool {
	return m.Mismatched == 0 && (m.Total == 0 || m.NaN == m.Total)
}

func silence(m tensor.Metrics) string {
	if m.Total == 0 {
		return "it has no elements"
	}
	return "it is NaN on both sides"
}

// onlyShapes reports whether two tensors differ in shape but not in type. A random output may have
// another shape in every run, for example after a NonZero, but never another type.
func onlyShapes(a, b tensor.Tensor) bool {
	return a.DType == b.DType && !slices.Equal(a.Shape, b.Shape)
}

// unjudged returns the result as one that is not judged, for a reason.
func (r OutputResult) unjudged(why string) OutputResult {
	r.Unjudged, r.used, r.Judged = why, 0, Undecided.Judged()
	return r
}

// scale multiplies the absolute tolerance by the magnitude of the output. It is for outputs that
// are large because the inputs are large, or because a transform adds up many elements. If large
// terms cancel in them, the rounding error is as large as that of the terms. scale reports whether
// it changed the tolerance.
func (h *ruling) scale(m tensor.Metrics) bool {
	if h.rule != RuleTolerance || !(m.RMSA > 1) || h.tol.ATol == 0 {
		return false
	}
	h.tol.ATol *= m.RMSA
	h.why += fmt.Sprintf(", atol times the output's magnitude %.3g", m.RMSA)
	return true
}

func isFinite(t tensor.Tensor) bool {
	m, err := tensor.Compare(t, t, tensor.Tolerance{})
	return err == nil && m.NaN+m.Inf == 0
}

// judge sets the verdict of a case. findings are those about the case.
func (r *CaseResult) judge(findings []Finding) {
	r.Judged = verdictOf(r.Outputs, findings).Judged()
	for _, o := range r.Outputs {
		r.used = max(r.used, o.Strain())
	}
	r.ran = len(r.Outputs) > 0
}

// verdictOf returns the verdict for some outputs and the findings about them.
func verdictOf(outputs []OutputResult, findings []Finding) Verdict {
	is := func(v Verdict) func(OutputResult) bool { return func(o OutputResult) bool { return o.Verdict == v } }
	switch {
	case slices.ContainsFunc(outputs, is(Fail)), slices.ContainsFunc(findings, func(f Finding) bool { return f.Decisive }):
		return Fail
	case len(outputs) == 0, slices.ContainsFunc(outputs, is(Undecided)), slices.ContainsFunc(findings, func(f Finding) bool { return f.Unread }):
		return Undecided
	}
	return Pass
}
