package calibration

import (
	"math"

	"lathe/graphops/tensor"
)

// MinMax computes the range of a tensor from the smallest and largest element of each run.
type MinMax struct {
	Elem tensor.DType
	// Symmetric extends the range so that it is symmetric around zero.
	Symmetric bool
	// Average uses, for each collection, the mean of the smallest elements of its runs and the mean
	// of the largest, instead of the extremes. Each further collection moves the range towards its
	// own by the fraction Constant of the difference.
	Average  bool
	Constant float64 // from 0 to 1

	low, high []float64 // of the runs in this collection; one element each without Average
	found     *Range
}

// Add adds the smallest and the largest element of one run.
func (m *MinMax) Add(low, high float64) {
	if !m.Average && len(m.low) > 0 {
		m.low[0], m.high[0] = lesser(m.low[0], low), greater(m.high[0], high)
		return
	}
	m.low, m.high = append(m.low, low), append(m.high, high)
}

// End ends a collection of runs and adds its range to the result.
func (m *MinMax) End() {
	if len(m.low) == 0 {
		return
	}
	r := Range{m.low[0], m.high[0]}
	if m.Average {
		r = Range{m.mean(m.low), m.mean(m.high)}
	}
	m.low, m.high = m.low[:0], m.high[:0]
	if m.Symmetric {
		far := greater(math.Abs(r.Low), math.Abs(r.High))
		r = Range{-far, far}
	}
	if m.found == nil {
		m.found = &r
		return
	}
	if m.Average {
		r = Range{m.moved(m.found.Low, r.Low), m.moved(m.found.High, r.High)}
	} else {
		r = Range{min(m.found.Low, r.Low), max(m.found.High, r.High)}
	}
	m.found = &r
}

// mean returns the mean of the elements that are not NaN, summed in float32 as numpy.nanmean does
// for float32 and float16.
func (m *MinMax) mean(list []float64) float64 {
	numbers := make([]float32, len(list))
	count := 0
	for i, x := range list {
		if x == x {
			numbers[i] = float32(x)
			count++
		}
	}
	sum := m.Elem.Round(float64(pairwise(numbers)))
	return m.Elem.Round(sum / float64(count))
}

func (m *MinMax) moved(from, to float64) float64 {
	step := m.Elem.Round(m.Elem.Round(m.Constant) * m.Elem.Round(to-from))
	return m.Elem.Round(from + step)
}

// Range returns the range over all collections that were ended. The bool is false if there is none.
func (m *MinMax) Range() (Range, bool) {
	if m.found == nil {
		return Range{}, false
	}
	return *m.found, true
}
