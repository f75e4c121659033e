package calibration

import (
	"fmt"
	"math"
	"sort"
)

// Range is the range of float numbers that quantization maps to the range of integers.
type Range struct{ Low, High float64 }

// within limits a range to the smallest and largest counted element.
func (h *Histogram) within(r Range) Range {
	if r.Low > r.High { // possible for magnitudes whose bins begin below zero
		r.Low, r.High = r.High, r.Low
	}
	return Range{min(max(r.Low, h.Min), h.Max), min(max(r.High, h.Min), h.Max)}
}

// Percentile returns the range that contains the given percentage of the elements, to the precision
// of a bin: an end of the range is the lower edge of the bin in which the percentage is reached.
// For magnitudes the range is symmetric around zero. Otherwise equally many elements are left out
// on both sides.
func (h *Histogram) Percentile(percent float64) (Range, error) {
	if !(percent >= 0 && percent <= 100) {
		return Range{}, fmt.Errorf("percentile %v, expected a number from 0 to 100", percent)
	}
	if total(h.Counts) == 0 {
		return Range{}, nil
	}
	if h.Magnitudes {
		far := h.Edges[h.reached(percent/100)]
		return h.within(Range{-far, far}), nil
	}
	cut := (100 - percent) / 200
	return h.within(Range{h.Edges[h.reached(cut)], h.Edges[h.reached(1-cut)]}), nil
}

// reached returns the first bin for which it and the bins before it contain at least the fraction
// share of all elements. If rounding errors keep the sum of all bins below share, it returns the
// number of bins.
func (h *Histogram) reached(share float64) int {
	all := float64(total(h.Counts))
	sums := make([]float64, len(h.Counts))
	sum := 0.0
	for i, c := range h.Counts {
		sum += float64(c) / all
		sums[i] = sum
	}
	return sort.SearchFloat64s(sums, share)
}

// Distribution is the mean and standard deviation of the elements in a histogram. Quantization to
// float8 uses them, because float8 numbers are denser near zero.
type Distribution struct {
	Mean, Deviation float64
	Range           Range // of the bins
	// Rounded reports that the variance was negative because of rounding.
	Rounded bool
}

// MinDistributionBins is the minimum number of bins for a Distribution.
const MinDistributionBins = 512

// Distribution computes mean and standard deviation from the centres of the bins, weighted by their
// counts. If cubes is set, it uses the cube roots of the centres.
func (h *Histogram) Distribution(cubes bool) (Distribution, error) {
	if len(h.Counts) < MinDistributionBins {
		return Distribution{}, fmt.Errorf("%d bins, expected at least %d", len(h.Counts), MinDistributionBins)
	}
	total, sum, squares := 0.0, make([]float64, len(h.Counts)), make([]float64, len(h.Counts))
	for i, c := range h.Counts {
		v := h.Elem.Round(h.Elem.Round(h.Edges[i]+h.Edges[i+1]) * 0.5)
		if cubes {
			v = h.Elem.Round(math.Copysign(h.Elem.Round(math.Pow(math.Abs(v), h.Elem.Round(1.0/3))), v))
		}
		total += float64(c)
		sum[i] = float64(c) * v
		squares[i] = float64(c) * h.Elem.Round(v*v)
	}
	mean := pairwise(sum) / total
	variance := pairwise(squares)/total - mean*mean
	return Distribution{
		Mean: h.Elem.Round(mean), Deviation: h.Elem.Round(math.Sqrt(max(variance, 0))), Rounded: variance < 0,
		Range: Range{h.Edges[0], h.Edges[len(h.Edges)-1]},
	}, nil
}
