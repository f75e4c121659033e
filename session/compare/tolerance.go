package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/text"
)

// The rules by which an output is judged.
const (
	RuleExact     = "exact"     // every element is equal
	RuleTolerance = "tolerance" // every element is within the tolerance of the type
	RuleOverride  = "override"  // every element is within a requested tolerance
	RuleRounding  = "rounding"  // the error is explained by rounding: see Precise
	RuleTies      = "ties"      // indices that differ choose equal values: see Options.Ties
	RuleSNR       = "snr"       // the signal-to-noise ratio is high enough: see MinSNR
)

// MinSNR is the signal-to-noise ratio, in dB, that an output of a quantized model must have: over
// all cases together, and in at least the fraction minCases of the single cases. At 10 dB the noise
// has a tenth of the signal's power. Good 8-bit quantization gives 20 to 60 dB, and unrelated
// outputs have about -3. So the limit catches a quantization that is broken, but not one that is
// merely coarse.
//
// Not every case has to reach the limit. A case may be a single row, and a row whose scores are
// near zero has little signal. Of 400 single rows through a well quantized classifier, a few are
// below 10 dB, although the median is 55.
const (
	MinSNR   = 10
	minCases = 0.95
)

// minArgmaxAgree is the fraction of rows in which both sides must choose the same class. In a row
// in which they differ, either two scores were nearly equal or the error is large. Rounding changes
// at most one row in a hundred, and quantization to 8 bits should change at most one in twenty.
const (
	minArgmaxAgree          = 0.99
	minArgmaxAgreeQuantized = 0.95
)

// minTopKAgree is the fraction of rows in which the class that A chooses must be among the
// tensor.TopK highest of B. A quantized model may change the order of nearly equal scores, but must
// not drop the best class.
const minTopKAgree = 0.99

// tolerances has the tolerances of the types, from fine to coarse. For the wider types they are
// about a hundred units in the last place, because sums may be computed in another order. For types
// with at most 8 bits they are one step between neighbouring numbers. afterSum is the ATol for
// outputs that follow a sum of many elements: the absolute error of a sum can be as large as that
// of one of its terms, even if the sum is small.
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

// ToleranceOf returns the tolerance for numbers of the coarsest of some types. It is zero for
// integers, bools and strings. Undefined is ignored.
func ToleranceOf(types ...tensor.DType) tensor.Tolerance {
	tol, _ := toleranceOf(false, types)
	return tol
}

// ToleranceAfterSum is ToleranceOf for results of sums of many elements.
func ToleranceAfterSum(types ...tensor.DType) tensor.Tolerance {
	tol, _ := toleranceOf(true, types)
	return tol
}

// toleranceOf returns the tolerance for the coarsest of some types, and that type. The type is
// Undefined if none of them has a tolerance. sums is set for results of sums of many elements.
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

// Asked is a tolerance that the user requested. If a number is nil, it follows from the type.
type Asked struct{ RTol, ATol *float64 }

// ruling is the rule by which an output is judged, with its tolerance.
type ruling struct {
	rule string // one of the Rule constants
	tol  tensor.Tolerance
	why  string // origin of the tolerance
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

// ruleOfTypes returns the rule that follows from the types, which applies if the user requested no
// tolerance.
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

// after returns " after a reduction, MatMul" if a sum of many elements precedes the output, and ""
// otherwise.
func (f Fact) after() string {
	if f.Sum == "" {
		return ""
	}
	return " after a reduction, " + text.Clean(f.Sum)
}

// passes reports whether one output passes in one case. It does not consider the classes.
func passes(rule string, m tensor.Metrics) bool {
	if rule == RuleSNR {
		return !onlyOneSideFinite(m) && m.SNR >= MinSNR
	}
	return m.Mismatched == 0
}

func onlyOneSideFinite(m tensor.Metrics) bool { return m.NaNMismatched+m.InfMismatched > 0 }

// worstFirst orders verdicts: those against B first, undecided ones last.
var worstFirst = []Verdict{Fail, Pass, Undecided}

// minArgmax returns the fraction of rows that must choose the same class.
func (c *comparison) minArgmax() float64 {
	if c.o.Quantized {
		return minArgmaxAgreeQuantized
	}
	return minArgmaxAgree
}

// worse reports whether the result x of an output is worse than y. A failure is worse than a pass.
// Among failures, those that could not be compared are the worst. Then the one with the smaller
// margin is worse. Results that are not judged come last.
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

// snr returns the signal-to-noise ratio as a number to sort by. It is minus infinity if there is no
// valid ratio.
func (r OutputResult) snr() float64 {
	if r.SNR == nil || math.IsNaN(float64(*r.SNR)) || r.NaNMismatched+r.InfMismatched > 0 {
		return math.Inf(-1)
	}
	return float64(*r.SNR)
}
