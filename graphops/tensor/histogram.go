package tensor

import (
	"math"
	"math/bits"
)

// histogramBins is the maximum number of bins of a histogram. A terminal has far fewer columns, so
// bins can be merged to nearly any number of bars. The counts fit into the first-level cache.
const histogramBins = 4096

// Histogram counts finite numbers in bins of equal width, exactly. Bin i contains the numbers from
// (First+i)*Width up to the next bin. Zero is always an edge.
type Histogram struct {
	Width  float64 `json:"width"` // a power of two, or a whole multiple of one
	First  int64   `json:"first"`
	Counts []int64 `json:"counts"` // neither the first nor the last is 0
}

// Edge returns the lower end of bin i, and for i = len(Counts) the upper end of the last.
func (h Histogram) Edge(i int) float64 { return float64(h.First+int64(i)) * h.Width }

// Bars merges neighbouring bins into at most n bars of equal width. No bar contains numbers of both
// signs, so if there are numbers of both signs, the result has at least two bars.
func (h Histogram) Bars(n int) Histogram {
	n = max(n, 2)
	if len(h.Counts) <= n {
		return h
	}
	last := h.First + int64(len(h.Counts)) - 1
	by := int64((len(h.Counts) + n - 1) / n)
	for floorDiv(last, by)-floorDiv(h.First, by) >= int64(n) {
		by++
	}
	out := Histogram{Width: h.Width * float64(by), First: floorDiv(h.First, by)}
	out.Counts = make([]int64, floorDiv(last, by)-out.First+1)
	for i, c := range h.Counts {
		out.Counts[floorDiv(h.First+int64(i), by)-out.First] += c
	}
	return out
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// linear collects a Histogram without knowing the range of the numbers in advance. If a number is
// outside of the bins, neighbouring bins are merged in pairs until it fits. All counts stay exact,
// because the bin width is a power of two and zero is always an edge. At least half of the bins are
// within the range of the numbers, unless all numbers are equal or are integers from a small range.
type linear struct {
	whole    bool // only integers: no bin is narrower than 1
	set      bool
	exponent int     // bins have width 2^exponent
	scale    float64 // 2^-exponent
	first    int64   // the bin at the start of counts
	min, max float64
	counts   [histogramBins]int64
}

// finestBin is the exponent of the smallest bin width, 2^-1022. Its inverse is still a float64. All
// subnormal 64-bit numbers of one sign are in the same bin.
const finestBin = -1022

// cover extends the bins to the numbers from lo to hi, which include all previous ones.
func (l *linear) cover(lo, hi float64) {
	if l.set && lo == l.min && hi == l.max {
		return
	}
	l.min, l.max = lo, hi
	exponent := l.fit(lo, hi)
	first := binOf(lo, exponent)
	switch {
	case !l.set:
		l.set, l.first = true, first
	case exponent > l.exponent || first < l.first || binOf(hi, exponent) >= l.first+histogramBins:
		l.move(exponent, first)
	default:
		return
	}
	l.exponent, l.scale = exponent, math.Ldexp(1, -exponent)
}

// fit returns the exponent of the narrowest bin width with which the bins cover lo to hi. It is at
// least the current exponent. Bin numbers stay below 2^53, so that float64 represents them exactly.
func (l *linear) fit(lo, hi float64) int {
	e := finestBin
	if l.whole {
		e = 0
	}
	if l.set {
		e = l.exponent
	}
	if largest := max(hi, -lo); largest > 0 {
		_, size := math.Frexp(largest)
		e = max(e, size-53)
	}
	if span := hi/2 - lo/2; span > 0 { // halved, because the difference may exceed float64
		_, size := math.Frexp(span)
		e = max(e, size+1-bits.Len(histogramBins))
	}
	for binOf(hi, e)-binOf(lo, e) >= histogramBins {
		e++
	}
	return e
}

// binOf returns the number of the bin that contains x. Bin 0 starts at zero.
func binOf(x float64, exponent int) int64 { return int64(math.Floor(math.Ldexp(x, -exponent))) }

// move merges bins into wider ones and moves the counts so that they start with bin first.
func (l *linear) move(exponent int, first int64) {
	old := l.counts
	clear(l.counts[:])
	shift := uint(exponent - l.exponent)
	for i, n := range old {
		if n > 0 {
			l.counts[(l.first+int64(i))>>shift-first] += n
		}
	}
	l.first = first
}

// add counts numbers, which must all be covered by the bins.
func (l *linear) add(xs []float64) {
	scale, first, counts := l.scale, l.first, &l.counts
	for _, x := range xs {
		counts[uint64(int64(math.Floor(x*scale))-first)%histogramBins]++
	}
}

// count is add for n equal numbers.
func (l *linear) count(x float64, n int64) { l.counts[binOf(x, l.exponent)-l.first] += n }

func (l *linear) histogram() Histogram {
	if !l.set {
		return Histogram{}
	}
	from, to := binOf(l.min, l.exponent), binOf(l.max, l.exponent)+1
	counts := append([]int64(nil), l.counts[from-l.first:to-l.first]...)
	return Histogram{Width: math.Ldexp(1, l.exponent), First: from, Counts: counts}
}
