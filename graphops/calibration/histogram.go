package calibration

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// Histogram counts how many elements of a tensor are in each bin, over one or more collections of
// samples.
type Histogram struct {
	Bins
	Counts []int64
	// Min and Max are those of the elements, with signs.
	Min, Max float64
	// threshold is how far the bins extend on both sides of zero. For magnitudes it is not used.
	threshold float64
	// Inverted reports that the reference would have the ends of the range chosen last in the wrong
	// order; see InvertedRange.
	Inverted bool
}

// Plan defines the bins for the next collection, and how earlier counts are combined with it. The
// counts of the collection must be passed to Add.
//
// For the first collection, there are n bins. For values around zero they extend as far as the
// numbers do; for magnitudes they extend from the smallest to the largest, not from zero.
type Plan struct {
	Bins
	extent    Extent
	threshold float64
	// shift is the number of new bins before the first old bin.
	shift int
	old   *Histogram
}

// PlanValues plans counting of numbers on both sides of zero. old is the histogram of earlier
// collections, nil for the first.
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

// widen adds bins of the same width as the existing ones, as many as are needed, and returns their
// number.
func (p *Plan) widen() (int, error) {
	t, n, elem := p.old.threshold, len(p.old.Counts), p.extent.Elem
	switch {
	case p.threshold <= t:
		p.threshold = t
		return n, nil
	case t == 0: // all elements were in the middle, and still are
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

// floorQuotient returns the quotient of positive numbers rounded down, computed like
// numpy.floor_divide: the remainder is subtracted first.
func floorQuotient(elem tensor.DType, a, b float64) float64 {
	q := elem.Round(elem.Round(a-math.Mod(a, b)) / b)
	floor := math.Floor(q)
	if q-floor > 0.5 {
		floor++
	}
	return floor
}

// PlanMagnitudes plans counting of absolute values.
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

// extended returns the bins with further bins of the first one's width, until they contain a
// number. As in numpy.arange, the added edges are float64 until the next collection.
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

// Add returns the histogram of all collections, given the counts of this one.
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
