package compare

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// compareOutput compares one output in one case.
func (c *comparison) compareOutput(one inputs.Case, p *Pair, a, b graphops.Got) OutputResult {
	r := OutputResult{Name: p.A, Case: one.Name, Type: a.Value.Type.String(), Shape: a.Value.Tensor.Shape}
	how := c.ruleFor(p.A, a.Value.Tensor.DType, b.Value.Tensor.DType)
	m, err := tensor.Compare(a.Value.Tensor, b.Value.Tensor, how.tol)
	fact, _ := factOf(c.o.Facts, p.A)
	if err == nil && (one.Family == inputs.Large || fact.Fourier) && how.scale(m) {
		m, err = tensor.Compare(a.Value.Tensor, b.Value.Tensor, how.tol)
	}
	r.Rule, r.Tolerance, r.Why = how.rule, how.tol, how.why
	switch {
	case err != nil:
		r.Reason = err.Error()
	case one.Family.IsExtreme() && m.NaN+m.Inf > 0 && !isFinite(a.Value.Tensor):
		r.fill(m)
		return r.unjudged("not finite in a itself on such inputs")
	case c.words.truth && one.Family != inputs.None && saysNothing(m):
		r.fill(m)
		return r.unjudged(silence(m))
	default:
		r.fill(m)
		r.Pass = passes(how.rule, m)
	}
	if op := c.drawn(p.A, one.Feeds); op != "" {
		switch {
		case err == nil && m.Mismatched > 0:
			return r.unjudged("drawn at random, by " + op + ": what it should be is not known")
		case err != nil && onlyShapes(a.Value.Tensor, b.Value.Tensor):
			return r.unjudged("drawn at random, by " + op + ", as its shape may be: " + err.Error())
		}
	}
	p.all.add(r, m)
	return r
}

// saysNothing tells of numbers that are equal on both sides and would be of many a wrong model:
// none at all, or nothing but NaN.
func saysNothing(m tensor.Metrics) bool {
	return m.Mismatched == 0 && (m.Total == 0 || m.NaN == m.Total)
}

func silence(m tensor.Metrics) string {
	if m.Total == 0 {
		return "has no elements on such inputs"
	}
	return "not a number, all of it"
}

// onlyShapes reports whether two tensors of a type differ in shape: what is drawn can decide
// how much there is, as behind a NonZero, and not of which type.
func onlyShapes(a, b tensor.Tensor) bool {
	return a.DType == b.DType && !slices.Equal(a.Shape, b.Shape)
}

// unjudged takes a result out of the judgement.
func (r OutputResult) unjudged(why string) OutputResult {
	r.Unjudged, r.used, r.Pass = why, 0, true
	return r
}

// scale makes the absolute tolerance one of an output as large as inputs that are large,
// or a transform of many elements, made it: terms that cancel leave an error of their
// size. It reports whether that changed it.
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

// judge sums up a case.
func (r *CaseResult) judge(findings []Finding) {
	r.Pass = true
	for _, f := range findings {
		r.Pass = r.Pass && !f.Decisive
	}
	for _, o := range r.Outputs {
		r.Pass = r.Pass && o.Pass
		r.used = max(r.used, o.Strain())
	}
	r.ran = len(r.Outputs) > 0
}
