package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/text"
)

// The rules that judge an output.
const (
	RuleExact     = "exact"     // every element is equal
	RuleTolerance = "tolerance" // every element is within the tolerance of the type
	RuleOverride  = "override"  // every element is within a tolerance that was asked for
	RuleRounding  = "rounding"  // no farther off than rounding moves what it is judged by: see Precise
	RuleTies      = "ties"      // indices that differ choose equal values: see Options.Ties
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

// MinTopKAgree is the share of rows in which the class that a chooses must be among the
// tensor.TopK that b finds likeliest: a quantized model may change what is nearly equal,
// and may not lose sight of it.
const MinTopKAgree = 0.99

// tolerances go from fine to coarse. Those of the wider types leave room for
// another order of summation, about a hundred units in the last place; those of
// 8 bits and less are one step between neighbours. Behind a sum the absolute error is
// one of its terms, however small the sum is: there afterSum takes the place of ATol.
var tolerances = []struct {
	dtypes   []tensor.DType
	tol      tensor.Tolerance
	afterSum float64
}{
	{[]tensor.DType{tensor.F64, tensor.C128}, tensor.Tolerance{RTol: 1e-10, ATol: 1e-11}, 1e-10},
	{[]tensor.DType{tensor.F32, tensor.C64}, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}, 1e-5},
	{[]tensor.DType{tensor.F16}, tensor.Tolerance{RTol: 1e-3, ATol: 1e-3}, 1e-2},
	{[]tensor.DType{tensor.BF16}, tensor.Tolerance{RTol: 1e-2, ATol: 1e-2}, 1e-2},
	{[]tensor.DType{tensor.F8E4M3FN, tensor.F8E4M3FNUZ, tensor.F6E2M3}, tensor.Tolerance{RTol: 0.125, ATol: 0.125}, 0.125},
	{[]tensor.DType{tensor.F8E5M2, tensor.F8E5M2FNUZ, tensor.F6E3M2}, tensor.Tolerance{RTol: 0.25, ATol: 0.25}, 0.25},
	{[]tensor.DType{tensor.F4E2M1}, tensor.Tolerance{RTol: 0.5, ATol: 0.5}, 0.5},
	{[]tensor.DType{tensor.F8E8M0}, tensor.Tolerance{RTol: 1}, 0},
}

// ToleranceOf is the tolerance for numbers of the coarsest of some types; that
// of integers, bools and strings is zero. Undefined counts for nothing.
func ToleranceOf(types ...tensor.DType) tensor.Tolerance {
	tol, _ := toleranceOf(false, types)
	return tol
}

// ToleranceAfterSum is ToleranceOf for numbers that a sum of many elements is behind.
func ToleranceAfterSum(types ...tensor.DType) tensor.Tolerance {
	tol, _ := toleranceOf(true, types)
	return tol
}

// toleranceOf tells the type that decided as well, Undefined where none did.
func toleranceOf(sums bool, types []tensor.DType) (tensor.Tolerance, tensor.DType) {
	var coarsest tensor.Tolerance
	from := tensor.Undefined
	for _, row := range tolerances {
		i := slices.IndexFunc(types, func(d tensor.DType) bool { return slices.Contains(row.dtypes, d) })
		if i < 0 {
			continue
		}
		coarsest, from = row.tol, types[i]
		if sums {
			coarsest.ATol = row.afterSum
		}
	}
	return coarsest, from
}

// Asked is a tolerance that was asked for. Where a number is nil it follows from
// the type.
type Asked struct{ RTol, ATol *float64 }

// ruling is how an output is judged.
type ruling struct {
	rule string // one of the Rule constants
	tol  tensor.Tolerance
	why  string // where the tolerance is from
}

// ruleFor chooses how a pair of outputs is judged.
func (c *comparison) ruleFor(output string, a, b tensor.DType) ruling {
	r := c.ruleOfTypes(output, a, b)
	asked := Asked{c.o.RTol, c.o.ATol}
	if of, ok := factOf(c.o.Of, output); ok {
		asked = Asked{cmp.Or(of.RTol, asked.RTol), cmp.Or(of.ATol, asked.ATol)}
	}
	if asked == (Asked{}) {
		return r
	}
	if asked.RTol != nil {
		r.tol.RTol = *asked.RTol
	}
	if asked.ATol != nil {
		r.tol.ATol = *asked.ATol
	}
	r.rule, r.why = RuleOverride, "as asked"
	if r.tol == (tensor.Tolerance{}) {
		r.rule = RuleExact
	}
	return r
}

// ruleOfTypes is the rule where no tolerance is asked for.
func (c *comparison) ruleOfTypes(output string, a, b tensor.DType) ruling {
	fact, _ := factOf(c.o.Facts, output)
	tol, from := toleranceOf(fact.Sum != "", []tensor.DType{a, b})
	switch {
	case from == tensor.Undefined:
		return ruling{rule: RuleExact, why: a.String() + " is compared exactly"}
	case c.o.Quantized:
		return ruling{rule: RuleSNR, tol: tol, why: from.String() + fact.after()}
	}
	tol, from = toleranceOf(fact.Sum != "", []tensor.DType{a, b, c.o.Precision})
	why := from.String()
	if from != a && from != b {
		why += ", which one side computes in,"
	}
	return ruling{rule: RuleTolerance, tol: tol, why: strings.TrimSuffix(why+fact.after(), ",")}
}

// after words that a sum is behind an output.
func (f Fact) after() string {
	if f.Sum == "" {
		return ""
	}
	return " after a reduction, " + text.Clean(f.Sum)
}

// passes judges one output in one case, but for its classes.
func passes(rule string, m tensor.Metrics) bool {
	if rule == RuleSNR {
		return !onlyOneSideFinite(m) && m.SNR >= MinSNR
	}
	return m.Mismatched == 0
}

func onlyOneSideFinite(m tensor.Metrics) bool { return m.NaNMismatched+m.InfMismatched > 0 }

// worstFirst has the results that say most against B first, and those that say nothing last.
var worstFirst = []Verdict{Fail, Pass, Undecided}

// minArgmax is the share of rows that must choose the same class.
func (c *comparison) minArgmax() float64 {
	if c.o.Quantized {
		return MinArgmaxAgreeQuantized
	}
	return MinArgmaxAgree
}

// worse orders two results of one output: a failure first, before others if nothing could be
// compared, then the smaller margin, then what is not judged.
func worse(x, y OutputResult) bool {
	switch {
	case x.Verdict != y.Verdict:
		return slices.Index(worstFirst, x.Verdict) < slices.Index(worstFirst, y.Verdict)
	case (x.Reason != "") != (y.Reason != ""):
		return x.Reason != ""
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
