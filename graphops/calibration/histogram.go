package calibration

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// Histogram is how often the elements of a tensor lay where, over some collections
// of samples.
type Histogram struct {
	Bins
	Counts []int64
	// Min and Max are of the elements, signs included.
	Min, Max float64
	// threshold is how far the bins go to both sides of zero; of those of magnitudes it
	// is not used.
	threshold float64
	// Inverted tells of the range chosen last that the reference's has its ends the wrong
	// way round; see InvertedRange.
	Inverted bool
}

// Plan says where the next collection is to be counted, and what becomes of what was
// counted before: Add must be given the counts.
//
// Of the first collection n bins are made. Around zero they go as far as the numbers
// do; of magnitudes they go from the least to the most, and not from zero.
type Plan struct {
	Bins
	extent    Extent
	threshold float64
	// shift is how many of the bins lie before the first one that there was.
	shift int
	old   *Histogram
}

// PlanValues plans to count numbers, on both sides of zero. The histogram of former
// collections is nil at first.
func PlanValues(old *Histogram, e Extent, n int) (Plan, error) {
	e, err := e.numbers()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{extent: e, old: old, threshold: max(math.Abs(e.Min), math.Abs(e.Max))}
	if old != nil {
		if n, err = p.widen(); err != nil {
			return Plan{}, err
		}
	}
	p.Bins, err = EvenBins(e.Elem, -p.threshold, p.threshold, n)
	return p, err
}

// widen makes bins of the width of those that there were, as many as are needed. It
// gives how many.
func (p *Plan) widen() (int, error) {
	t, n, elem := p.old.threshold, len(p.old.Counts), p.extent.Elem
	switch {
	case p.threshold <= t:
		p.threshold = t
		return n, nil
	case t == 0: // all were in the middle, and are there again
		return n, nil
	}
	stride := elem.Round(elem.Round(2*t) / float64(n))
	more := elem.Round(floorQuotient(elem, elem.Round(p.threshold-t), stride) + 1)
	if !(more <= maxBins) {
		return 0, fmt.Errorf("elements reach %v, and up to %v in the samples before: the histogram would need %g bins more of the same width, at most %d are made", p.threshold, t, 2*more, maxBins)
	}
	p.shift = int(more)
	p.threshold = elem.Round(elem.Round(more*stride) + t)
	return n + 2*p.shift, nil
}

// floorQuotient is the quotient rounded down, of numbers above zero, as
// numpy.floor_divide has it: of what is left when the remainder is taken off.
func floorQuotient(elem tensor.DType, a, b float64) float64 {
	q := elem.Round(elem.Round(a-math.Mod(a, b)) / b)
	floor := math.Floor(q)
	if q-floor > 0.5 {
		floor++
	}
	return floor
}

// PlanMagnitudes plans to count numbers without their signs.
func PlanMagnitudes(old *Histogram, e Extent, n int) (Plan, error) {
	e, err := e.numbers()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{extent: e, old: old}
	switch {
	case old != nil:
		p.Bins, err = old.extended(e.Most)
	case e.Count == 0:
		p.Bins, err = EvenBins(e.Elem, 0, 1, n)
	default:
		p.Bins, err = EvenBins(e.Elem, e.Least, e.Most, n)
	}
	p.Magnitudes = true
	return p, err
}

// extended is the bins with as many more of the first one's width as it takes to
// hold a number. The edges that are added are float64 until the next collection, as
// numpy.arange makes them.
func (h *Histogram) extended(most float64) (Bins, error) {
	b := Bins{Elem: h.Elem, Edges: h.Edges}
	last := h.Edges[len(h.Edges)-1]
	if most <= last {
		return b, nil
	}
	width := b.Elem.Round(h.Edges[1] - h.Edges[0])
	start, stop := b.Elem.Round(last+width), b.Elem.Round(most+width)
	n := math.Ceil(b.Elem.Round(b.Elem.Round(stop-start) / width))
	if !(n <= maxBins) {
		return b, fmt.Errorf("elements reach %v, and up to %v in the samples before: the histogram would need %g bins more of the same width, at most %d are made", most, last, n, maxBins)
	}
	b.Edges = slices.Clone(b.Edges)
	step := b.Elem.Round(start+width) - start
	for i := range int(n) {
		b.Edges = append(b.Edges, start+float64(i)*step)
	}
	return b, nil
}

// Add makes the histogram of all collections, of what was counted as planned.
func (p Plan) Add(counts []int64) *Histogram {
	h := &Histogram{Bins: p.Bins, Counts: slices.Clone(counts), Min: p.extent.Min, Max: p.extent.Max, threshold: p.threshold}
	if p.old == nil {
		return h
	}
	h.Edges = slices.Clone(h.Edges)
	for i, x := range h.Edges {
		h.Edges[i] = h.Elem.Round(x)
	}
	for i, c := range p.old.Counts {
		h.Counts[p.shift+i] += c
	}
	h.Min, h.Max = min(p.old.Min, h.Min), max(p.old.Max, h.Max)
	return h
}
