package compare

import (
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// The rules that judge an output.
const (
	RuleExact     = "exact"     // every element is equal
	RuleTolerance = "tolerance" // every element is within the tolerance of the type
	RuleOverride  = "override"  // every element is within a tolerance that was asked for
	RuleSNR       = "snr"       // the signal-to-noise ratio is high enough: see MinSNR
)

// MinSNR is the signal-to-noise ratio, in dB, that an output of a quantized
// model must have over all cases and in MinCases of them. At 10 dB the noise has
// a tenth of the signal's power. Sound 8-bit quantization leaves 20 to 60 dB,
// outputs that have nothing to do with each other about -3: the limit catches a
// quantization that is broken, not one that is coarse.
//
// Not every case must reach it: a case may be a single row, and a row whose
// scores are near zero has little signal. Among 400 single rows through a
// soundly quantized classifier a few lie below 10 dB, at a median of 55.
const (
	MinSNR   = 10
	MinCases = 0.95
)

// The share of rows in which both sides must choose the same class. A row that
// changes was a close call or the error is large; changing more than one in a
// hundred is no rounding, and more than one in twenty costs more accuracy than
// 8 bits are worth.
const (
	MinArgmaxAgree          = 0.99
	MinArgmaxAgreeQuantized = 0.95
)

// tolerances go from fine to coarse. Those of the wider types leave room for
// another order of summation, about a hundred units in the last place; those of
// 8 bits and less are one step between neighbours.
var tolerances = []struct {
	dtypes []tensor.DType
	tol    tensor.Tolerance
}{
	{[]tensor.DType{tensor.F64, tensor.C128}, tensor.Tolerance{RTol: 1e-10, ATol: 1e-11}},
	{[]tensor.DType{tensor.F32, tensor.C64}, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}},
	{[]tensor.DType{tensor.F16}, tensor.Tolerance{RTol: 1e-3, ATol: 1e-3}},
	{[]tensor.DType{tensor.BF16}, tensor.Tolerance{RTol: 1e-2, ATol: 1e-2}},
	{[]tensor.DType{tensor.F8E4M3FN, tensor.F8E4M3FNUZ, tensor.F6E2M3}, tensor.Tolerance{RTol: 0.125, ATol: 0.125}},
	{[]tensor.DType{tensor.F8E5M2, tensor.F8E5M2FNUZ, tensor.F6E3M2}, tensor.Tolerance{RTol: 0.25, ATol: 0.25}},
	{[]tensor.DType{tensor.F4E2M1}, tensor.Tolerance{RTol: 0.5, ATol: 0.5}},
	{[]tensor.DType{tensor.F8E8M0}, tensor.Tolerance{RTol: 1}},
}

// ToleranceOf is the tolerance for numbers of the coarsest of some types; that
// of integers, bools and strings is zero. Undefined counts for nothing.
func ToleranceOf(types ...tensor.DType) tensor.Tolerance {
	var coarsest tensor.Tolerance
	for _, row := range tolerances {
		if slices.ContainsFunc(types, func(d tensor.DType) bool { return slices.Contains(row.dtypes, d) }) {
			coarsest = row.tol
		}
	}
	return coarsest
}

// ruleFor chooses how a pair of outputs is judged.
func (c *comparison) ruleFor(a, b tensor.DType) (tensor.Tolerance, string) {
	tol, rule := c.ruleOfTypes(a, b)
	if c.o.RTol == nil && c.o.ATol == nil {
		return tol, rule
	}
	if c.o.RTol != nil {
		tol.RTol = *c.o.RTol
	}
	if c.o.ATol != nil {
		tol.ATol = *c.o.ATol
	}
	if tol == (tensor.Tolerance{}) {
		return tol, RuleExact
	}
	return tol, RuleOverride
}

// ruleOfTypes is the rule where no tolerance is asked for.
func (c *comparison) ruleOfTypes(a, b tensor.DType) (tensor.Tolerance, string) {
	exact := ToleranceOf(a, b) == tensor.Tolerance{}
	switch {
	case exact:
		return tensor.Tolerance{}, RuleExact
	case c.o.Quantized:
		return ToleranceOf(a, b), RuleSNR
	}
	return ToleranceOf(a, b, c.o.Precision), RuleTolerance
}

// passes judges one output in one case, but for its classes.
func passes(rule string, m tensor.Metrics) bool {
	if rule == RuleSNR {
		return !onlyOneSideFinite(m) && m.SNR >= MinSNR
	}
	return m.Mismatched == 0
}

func onlyOneSideFinite(m tensor.Metrics) bool { return m.NaNMismatched+m.InfMismatched > 0 }

// minArgmax is the share of rows that must choose the same class.
func (c *comparison) minArgmax() float64 {
	if c.o.Quantized {
		return MinArgmaxAgreeQuantized
	}
	return MinArgmaxAgree
}

// worse orders two results of one output: what could not be compared, then what
// failed, then the smaller margin.
func worse(x, y OutputResult) bool {
	switch {
	case (x.Reason != "") != (y.Reason != ""):
		return x.Reason != ""
	case x.Pass != y.Pass:
		return !x.Pass
	case x.Rule == RuleSNR:
		return x.snr() < y.snr()
	}
	return x.used > y.used
}

// snr is the signal-to-noise ratio for ordering. What cannot be measured comes
// first.
func (r OutputResult) snr() float64 {
	if r.SNR == nil || math.IsNaN(float64(*r.SNR)) || r.NaNMismatched+r.InfMismatched > 0 {
		return math.Inf(-1)
	}
	return float64(*r.SNR)
}
