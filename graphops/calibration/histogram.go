package calibration

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// Histogram counts how many elements of a tensor are in each bin. The elements may come from
// several collections; a collection is a set of samples that is measured at once.
type Histogram struct {
	Bins
	Counts []int64
	// Min and Max are the smallest and largest element, even if absolute values are counted.
	Min, Max float64
	// threshold is the distance from zero to the first and to the last edge. It is not used if
	// absolute values are counted.
	threshold float64
}

// Plan has the bins for the next collection, and the histogram of the earlier ones. After the
// elements of the collection were counted, pass the counts to Add.
//
// For the first collection there are n bins. If values are counted, the bins extend equally far on
// both sides of zero, as far as the largest absolute value. If absolute values are counted, they
// extend from the smallest to the largest, and do not begin at zero.
type Plan struct {
	Bins
	extent    Extent
	threshold float64
	// shift is the number of bins that were added before the first bin of old.
	shift int
	old   *Histogram
}

// PlanValues plans the bins for counting the elements with their signs. e is the extent of the next
// collection. old is the histogram of the earlier collections, or nil for the first.
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

// widen adds as many bins as the new extent needs on both sides, of the same width as the existing
// ones, and returns the new number of bins.
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
		return 0, fmt.Errorf("elements reach %v, but only %v in earlier samples: the histogram would need %g more bins of the same width, and may have at most %d more", p.threshold, t, 2*more, maxBins)
	}
	p.shift = int(more)
	p.threshold = elem.Round(elem.Round(more*stride) + t)
	return n + 2*p.shift, nil
}

// floorQuotient returns a/b rounded down, for positive numbers. It subtracts the remainder first,
// as numpy.floor_divide does, because another method can round differently.
func floorQuotient(elem tensor.DType, a, b float64) float64 {
	q := elem.Round(elem.Round(a-math.Mod(a, b)) / b)
	floor := math.Floor(q)
	if q-floor > 0.5 {
		floor++
	}
	return floor
}

// PlanMagnitudes is like PlanValues, for counting the absolute values of the elements.
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

// extended returns the bins of h, followed by as many bins of the first bin's width as are needed
// to contain the number most. As with numpy.arange, the added edges are not rounded to the type of
// the elements before the next collection.
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
		return b, fmt.Errorf("elements reach %v, but only %v in earlier samples: the histogram would need %g more bins of the same width, and may have at most %d more", most, last, n, maxBins)
	}
	b.Edges = slices.Clone(b.Edges)
	step := b.Elem.Round(start+width) - start
	for i := range int(n) {
		b.Edges = append(b.Edges, start+float64(i)*step)
	}
	return b, nil
}

// Add returns the histogram of all collections, including the one whose counts are given.
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
