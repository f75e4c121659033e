package modes

import (
	"math"

	"lathe/graphops/tensor"
	"lathe/session/compare"
)

// errorOf sums up the comparison of a result with the original.
func errorOf(r *compare.Report) *Error {
	e := &Error{Judged: r.Judged, Headline: r.Headline}
	for i := range r.Outputs {
		e.add(&r.Outputs[i])
		e.addLargest(r.LargestOf(r.Outputs[i].Name))
	}
	return e
}

// add takes the lowest signal-to-noise ratio. NaN is the worst.
func (e *Error) add(o *compare.OutputResult) {
	all := o.SNRAll
	if all == nil {
		all = o.SNR
	}
	if all != nil && (e.SNR == nil || math.IsNaN(float64(*all)) || *all < *e.SNR) {
		e.SNR, e.Worst, e.Output = all, o.SNR, o.Name
	}
}

// addLargest takes the largest difference. NaN is the worst. o is nil for an output without one.
func (e *Error) addLargest(o *compare.OutputResult) {
	if o != nil && (e.MaxAbs == nil || math.IsNaN(float64(*o.MaxAbs)) || *o.MaxAbs > *e.MaxAbs) {
		e.MaxAbs, e.MaxOutput, e.MaxCase, e.MaxIndex = o.MaxAbs, o.Name, o.Case, placeOfLargest(o)
	}
}

// placeOfLargest returns the index of the element with the largest difference if it is that which uses most
// of its tolerance, and otherwise nil.
func placeOfLargest(o *compare.OutputResult) []int64 {
	w := o.Worst
	if w == nil || w.A.Text != nil || w.B.Text != nil {
		return nil
	}
	apart := math.Abs(float64(w.A.Number - w.B.Number))
	if !(apart >= float64(*o.MaxAbs)*(1-smallest)) {
		return nil
	}
	return w.Index
}

// smallest is how far rounding to float32 can move a difference.
const smallest = 1e-6

// number returns a number, or NaN for nil.
func number(n *tensor.Number) float64 {
	if n == nil {
		return math.NaN()
	}
	return float64(*n)
}
