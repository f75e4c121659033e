package bench

import "math"

// Histogram is how the times of all runs are spread, in bins of equal width.
type Histogram struct {
	From   Number `json:"from_ms"`  // where the first bin begins
	Width  Number `json:"width_ms"` // of a bin
	Counts []int  `json:"counts"`
	Beyond int    `json:"beyond"` // runs that took longer than the last bin's end
}

// histogramBins is how many bins there are. They end where histogramShare of the runs do, or
// histogramSpreads times the distance of the quartiles above the third: a few runs that took
// a hundred times as long would leave one bin for all others.
const (
	histogramBins    = 60
	histogramShare   = 0.995
	histogramSpreads = 6
)

// histogramOf counts sorted times.
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
