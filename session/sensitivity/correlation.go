package sensitivity

import (
	"math"
	"slices"
)

// Correlation returns Spearman's rank correlation of pairs of numbers: the correlation of their ranks,
// in which equal numbers share the mean of their ranks. It is NaN for fewer than three pairs, or if all
// numbers of one side are equal.
func Correlation(a, b []float64) float64 {
	if len(a) != len(b) || len(a) < 3 {
		return math.NaN()
	}
	x, y := ranks(a), ranks(b)
	mean := float64(len(a)-1) / 2
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
	}
	return xy / math.Sqrt(xx*yy)
}

// ranks returns the rank of each number, from 0.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case values[i] < values[j]:
			return -1
		case values[i] > values[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

// estimateCorrelation returns the rank correlation of estimates and measurements.
func estimateCorrelation(layers []*Layer) float64 {
	var estimated, measured []float64
	for _, l := range layers {
		if l.Cost != nil {
			estimated = append(estimated, float64(l.Estimated))
			measured = append(measured, float64(l.Cost.SNR))
		}
	}
	return Correlation(estimated, measured)
}
