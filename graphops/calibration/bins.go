package calibration

import (
	"fmt"
	"math"
	"sort"

	"lathe/graphops/tensor"
)

// maxBins is how many bins a histogram may grow to. Later samples that go a million
// times as far as the first ones would ask for as many bins more.
const maxBins = 1 << 22

// mostBins is how many bins there can be: those of a histogram that grew to both sides.
const mostBins = 1 << 24

// Bins say where a histogram counts: bin i takes in numbers from Edges[i] up to, and
// not with, Edges[i+1], the last one with it. What lies outside is not counted.
type Bins struct {
	Elem tensor.DType
	// Edges increase.
	Edges []float64
	// Magnitudes tells that the sign of what is counted does not count.
	Magnitudes bool
	// even tells that the bins part the interval evenly, up to rounding.
	even bool
}

// EvenBins parts an interval, as numpy.histogram does: an empty one is widened by a
// half to both sides.
func EvenBins(elem tensor.DType, first, last float64, n int) (Bins, error) {
	switch {
	case !Takes(elem):
		return Bins{}, fmt.Errorf("bins of %s, expected float32 or float16", elem)
	case n < 1 || n > mostBins:
		return Bins{}, fmt.Errorf("%d bins, expected 1 to %d", n, mostBins)
	case !(first <= last) || math.IsInf(elem.Round(first), 0) || math.IsInf(elem.Round(last), 0):
		return Bins{}, fmt.Errorf("bins from %v to %v", first, last)
	}
	first, last = elem.Round(first), elem.Round(last)
	if first == last {
		first, last = elem.Round(first-0.5), elem.Round(last+0.5)
	}
	b := Bins{Elem: elem, Edges: spaced(elem, first, last, n), even: true}
	for i := range n {
		switch {
		case math.IsInf(elem.Round(last-first), 0):
			return Bins{}, fmt.Errorf("from %v to %v it is farther than %s goes, so that it cannot be parted into bins", first, last, elem)
		case !(b.Edges[i] < b.Edges[i+1]):
			return Bins{}, fmt.Errorf("%s has no %d numbers between %v and %v; fewer bins would be needed", elem, n, first, last)
		}
	}
	return b, nil
}

// BinsBetween is bins between any edges, which must increase.
func BinsBetween(elem tensor.DType, edges []float64) (Bins, error) {
	switch {
	case !Takes(elem):
		return Bins{}, fmt.Errorf("bins of %s, expected float32 or float16", elem)
	case len(edges) < 2 || len(edges)-1 > mostBins:
		return Bins{}, fmt.Errorf("%d edges of bins, expected 2 to %d", len(edges), mostBins+1)
	}
	for i := range edges[1:] {
		if !(edges[i] < edges[i+1]) {
			return Bins{}, fmt.Errorf("edge %d of the bins is %v, and the next %v", i, edges[i], edges[i+1])
		}
	}
	return Bins{Elem: elem, Edges: edges}, nil
}

// IsEven reports whether EvenBins made the bins, of the same ends and as many.
func (b Bins) IsEven() bool { return b.even }

// spaced is n+1 numbers from first to last, as numpy.linspace makes them of arrays of
// the type.
func spaced(elem tensor.DType, first, last float64, n int) []float64 {
	edges := make([]float64, n+1)
	delta := elem.Round(last - first)
	step := elem.Round(delta / float64(n))
	for i := range edges {
		at := elem.Round(float64(i))
		if step == 0 { // of numbers so small that the step is lost
			at = elem.Round(elem.Round(at/float64(n)) * delta)
		} else {
			at = elem.Round(at * step)
		}
		edges[i] = elem.Round(at + first)
	}
	edges[n] = last
	return edges
}

// Count adds to the counts of the bins how many of the values lie in each.
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

// near is the bin of a number where bins are of equal width: the quotient is at most
// one off, which the edges mend.
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

// find is the bin of a number between any edges.
func (b Bins) find(x float64, n int) int {
	i := sort.Search(n, func(i int) bool { return b.Edges[i+1] > x })
	return min(i, n-1)
}
