package bench

import "math"

// Histogram is the distribution of the times of all runs, in bins of equal width.
type Histogram struct {
	From   Number `json:"from_ms"`  // start of the first bin
	Width  Number `json:"width_ms"` // width of a bin
	Counts []int  `json:"counts"`
	Beyond int    `json:"beyond"` // runs that took longer than the end of the last bin
}

// histogramBins is the number of bins. The last bin ends at the quantile histogramShare of the
// times, or at histogramSpreads interquartile ranges above the third quartile if that is less.
// Without this limit, a few very long runs would make the bins so wide that all other runs are in
// one bin.
const (
	histogramBins    = 60
	histogramShare   = 0.995
	histogramSpreads = 6
)

// histogramOf returns the histogram of times in milliseconds, which are sorted.
func histogramOf(sorted []float64) Histogram {
	from, to := sorted[0], sorted[int(math.Ceil(histogramShare*float64(len(sorted)-1)))]
	if q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75); q3 > q1 {
		to = min(to, max(q3+histogramSpreads*(q3-q1), quantile(sorted, 0.9)))
	}
	h := Histogram{From: Number(from), Width: Number(max((to-from)/histogramBins, 1e-6)), Counts: make([]int, histogramBins)}
	for _, v := range sorted {
		switch i := int((v - from) / float64(h.Width)); {
		case i < histogramBins:
			h.Counts[i]++
		case v <= to:
			h.Counts[histogramBins-1]++
		default:
			h.Beyond++
		}
	}
	return h
}

// middle returns the time that half of the runs did not exceed, to the width of a bin. ok is false if it
// is not in a bin.
func (h Histogram) middle() (ms Number, ok bool) {
	all := h.Beyond
	for _, n := range h.Counts {
		all += n
	}
	before := 0
	for i, n := range h.Counts {
		if n > 0 && 2*(before+n) >= all {
			within := (float64(all)/2 - float64(before)) / float64(n)
			return h.From + h.Width*Number(float64(i)+within), true
		}
		before += n
	}
	return 0, false
}
