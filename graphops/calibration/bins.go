package calibration

import (
	"fmt"
	"math"
	"sort"

	"lathe/graphops/tensor"
)

// maxBins is the maximum number of bins by which a histogram may grow on one side. If later samples
// contain numbers a million times as large as the first samples, the histogram would need that many
// more bins of the same width.
const maxBins = 1 << 22

// mostBins is the maximum number of bins in total. It allows for growth on both sides.
const mostBins = 1 << 24

// Bins defines the bins of a histogram. Bin i contains numbers from Edges[i] up to but not
// including Edges[i+1]; the last bin includes its end. Numbers outside are not counted.
type Bins struct {
	Elem tensor.DType
	// Edges has one number more than there are bins, in increasing order.
	Edges []float64
	// Magnitudes reports that absolute values are counted instead of the values themselves.
	Magnitudes bool
	// even reports that all bins have the same width, apart from rounding, so that the bin of a
	// number can be calculated.
	even bool
}

// EvenBins divides the interval from first to last into n bins of equal width, as numpy.histogram
// does. If first equals last, the interval is extended by one half on both sides.
func EvenBins(elem tensor.DType, first, last float64, n int) (Bins, error) {
	switch {
	case !Takes(elem):
		return Bins{}, fmt.Errorf("bins of %s, expected float32 or float16", elem)
	case n < 1 || n > mostBins:
		return Bins{}, fmt.Errorf("%d bins, expected 1 to %d", n, mostBins)
	case !(first <= last) || math.IsInf(elem.Round(first), 0) || math.IsInf(elem.Round(last), 0):
		return Bins{}, fmt.Errorf("bins from %v to %v, expected two finite numbers in order", first, last)
	}
	first, last = elem.Round(first), elem.Round(last)
	if first == last {
		first, last = elem.Round(first-0.5), elem.Round(last+0.5)
	}
	b := Bins{Elem: elem, Edges: spaced(elem, first, last, n), even: true}
	for i := range n {
		switch {
		case math.IsInf(elem.Round(last-first), 0):
			return Bins{}, fmt.Errorf("the distance from %v to %v is more than the largest %s, so that it cannot be divided into bins", first, last, elem)
		case !(b.Edges[i] < b.Edges[i+1]):
			return Bins{}, fmt.Errorf("%s has fewer than %d numbers between %v and %v; use fewer bins", elem, n, first, last)
		}
	}
	return b, nil
}

// BinsBetween returns bins with the given edges, which must increase. The bins may have different
// widths.
func BinsBetween(elem tensor.DType, edges []float64) (Bins, error) {
	switch {
	case !Takes(elem):
		return Bins{}, fmt.Errorf("bins of %s, expected float32 or float16", elem)
	case len(edges) < 2 || len(edges)-1 > mostBins:
		return Bins{}, fmt.Errorf("%d edges of bins, expected 2 to %d", len(edges), mostBins+1)
	}
	for i := range edges[1:] {
		if !(edges[i] < edges[i+1]) {
			return Bins{}, fmt.Errorf("edge %d of the bins is %v, and the next %v, expected increasing edges", i, edges[i], edges[i+1])
		}
	}
	return Bins{Elem: elem, Edges: edges}, nil
}

// IsEven reports whether EvenBins made the bins, so that the ends and the number of bins are enough
// to make them again.
func (b Bins) IsEven() bool { return b.even }

// spaced returns n+1 numbers from first to last with equal distances, with the rounding of
// numpy.linspace in the given element type.
func spaced(elem tensor.DType, first, last float64, n int) []float64 {
	edges := make([]float64, n+1)
	delta := elem.Round(last - first)
	step := elem.Round(delta / float64(n))
	for i := range edges {
		at := elem.Round(float64(i))
		if step == 0 { // the numbers are so small that the step rounds to 0
			at = elem.Round(elem.Round(at/float64(n)) * delta)
		} else {
			at = elem.Round(at * step)
		}
		edges[i] = elem.Round(at + first)
	}
	edges[n] = last
	return edges
}

// Count adds, for each bin, the number of values in it to the element of counts.
func (b Bins) Count(counts []int64, values []float64) {
	n := len(b.Edges) - 1
	first, last := b.Edges[0], b.Edges[n]
	width := b.Elem.Round(last - first)
	for _, x := range values {
		if b.Magnitudes {
			x = math.Abs(x)
		}
		if !(x >= first && x <= last) {
			continue
		}
		if b.even {
			counts[b.near(x, first, width, n)]++
		} else {
			counts[b.find(x, n)]++
		}
	}
}

// near returns the bin of x if all bins have equal width. The calculated bin may be off by one
// because of rounding, and is corrected by comparing x with the edges.
func (b Bins) near(x, first, width float64, n int) int {
	i := int(b.Elem.Round(b.Elem.Round(b.Elem.Round(x-first)/width) * float64(n)))
	i = min(i, n-1)
	if x < b.Edges[i] {
		i--
	}
	if i < n-1 && x >= b.Edges[i+1] {
		i++
	}
	return i
}

// find returns the bin of x by binary search, for bins of different widths.
func (b Bins) find(x float64, n int) int {
	i := sort.Search(n, func(i int) bool { return b.Edges[i+1] > x })
	return min(i, n-1)
}
