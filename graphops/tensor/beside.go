package tensor

import (
	"errors"
	"io"
	"math"
)

// Beside is a comparison of two tensors a and b for plots. Its size is limited, however large the
// tensors are. All parts except Metrics cover only the pairs in which both numbers are finite.
type Beside struct {
	Metrics Metrics // with tolerance 0
	Equal   int64   // number of equal pairs
	// Errors counts the differences |a-b| by magnitude. It leaves out differences of 0 and those
	// above the range of float64.
	Errors Magnitudes
	// A and B are histograms of the two tensors. They have the same bins, so one of them may have
	// empty bins at its ends.
	A, B Histogram
	// Density counts the pairs (a, b) in a plane, for a scatter plot.
	Density Density
}

// Density counts pairs of numbers in a square matrix of bins of equal width. The columns are for a
// and the rows for b. In either direction, bin i contains the numbers from (First+i)*Width up to
// the next bin, as in a Histogram.
type Density struct {
	Width  float64
	First  int64
	Side   int
	Counts []int64
}

// densitySide is the maximum number of rows and columns of a Density, which is more than a terminal
// can draw. A bin is as wide as 2^densityShift bins of a histogram.
const (
	densityShift = 3
	densitySide  = histogramBins >> densityShift
)

// CompareBeside compares two numeric tensors of the same shape. It reads them from streams in one
// pass and needs a fixed amount of memory. A complex element counts as two numbers.
func CompareBeside(a, b *Reader, shape []int64) (Beside, error) {
	c, err := pairUp(a, b, shape, Tolerance{})
	if err != nil {
		return Beside{}, err
	}
	c.beside = &beside{}
	c.beside.a.whole = a.dtype.isInteger() && b.dtype.isInteger()
	c.beside.b.whole = c.beside.a.whole
	for {
		err := c.step(a, b)
		if errors.Is(err, io.EOF) {
			return c.beside.report(c.metrics()), nil
		}
		if err != nil {
			return Beside{}, err
		}
	}
}

// beside collects a Beside. Both histograms are always extended to the same range, so that they
// have the same bins.
type beside struct {
	equal  int64
	errors magnitudes
	a, b   linear
	pairs  density

	as, bs, diffs [chunkNumbers]float64
}

// add adds pairs and their differences a-b. It does not modify the slices. diffs is nil if all
// pairs are equal.
func (p *beside) add(as, bs, diffs []float64) {
	n, apart := 0, 0
	for i, a := range as {
		b := bs[i]
		if !IsFinite(a) || !IsFinite(b) {
			continue
		}
		p.as[n], p.bs[n] = a, b
		n++
		if diffs == nil || diffs[i] == 0 {
			p.equal++
			continue
		}
		if d := math.Abs(diffs[i]); IsFinite(d) {
			p.diffs[apart] = d
			apart++
		}
	}
	if n == 0 {
		return
	}
	lo, hi, _ := extremes(p.as[:n], math.Inf(1), math.Inf(-1))
	lo, hi, _ = extremes(p.bs[:n], lo, hi)
	if p.a.set {
		lo, hi = min(lo, p.a.min), max(hi, p.a.max)
	}
	p.a.cover(lo, hi)
	p.b.cover(lo, hi)
	p.a.add(p.as[:n])
	p.b.add(p.bs[:n])
	p.pairs.cover(p.a.exponent, binOf(lo, p.a.exponent), binOf(hi, p.a.exponent))
	p.pairs.add(p.as[:n], p.bs[:n], p.a.scale)
	p.errors.add(p.diffs[:apart])
}

func (p *beside) report(m Metrics) Beside {
	out := Beside{Metrics: m, Equal: p.equal, Errors: p.errors.magnitudes(0), A: p.a.histogram(), B: p.b.histogram()}
	if p.a.set {
		out.Density = p.pairs.density(p.a.exponent)
	}
	return out
}

// density collects a Density. A bin of it is as wide as 2^densityShift bins of the histograms.
type density struct {
	exponent int   // of the histograms
	first    int64 // the bin at the start of rows and columns
	last     int64 // the last requested bin
	counts   []int64
}

// cover extends the matrix to the histogram bins from lo to hi, which include all previous ones.
// exponent says how wide these bins are.
func (d *density) cover(exponent int, lo, hi int64) {
	lo, hi = lo>>densityShift, hi>>densityShift
	switch {
	case d.counts == nil:
		// one more row and column than densitySide, because the range may start in the middle of a
		// bin
		d.counts = make([]int64, (densitySide+1)*(densitySide+1))
	case exponent == d.exponent && lo >= d.first && hi <= d.first+densitySide:
		d.last = max(d.last, hi)
		return
	default:
		d.move(exponent, lo)
	}
	d.exponent, d.first, d.last = exponent, lo, hi
}

// move merges bins into wider ones and moves the counts so that the matrix starts at the given bin.
func (d *density) move(exponent int, first int64) {
	old := d.counts
	d.counts = make([]int64, len(old))
	shift := uint(exponent - d.exponent)
	place := func(i int) int64 { return (d.first+int64(i))>>shift - first }
	for i, n := range old {
		if n > 0 {
			d.counts[place(i/(densitySide+1))*(densitySide+1)+place(i%(densitySide+1))] += n
		}
	}
}

func (d *density) add(as, bs []float64, scale float64) {
	bin := func(x float64) int64 { return int64(math.Floor(x*scale))>>densityShift - d.first }
	for i, a := range as {
		d.counts[bin(bs[i])*(densitySide+1)+bin(a)]++
	}
}

func (d *density) density(exponent int) Density {
	n := int(d.last - d.first + 1)
	out := Density{Width: math.Ldexp(1, exponent+densityShift), First: d.first, Side: n, Counts: make([]int64, 0, n*n)}
	for row := range n {
		from := row * (densitySide + 1)
		out.Counts = append(out.Counts, d.counts[from:from+n]...)
	}
	return out
}

// Edge returns the lower end of bin i, and for i = Side the upper end of the last.
func (d Density) Edge(i int) float64 { return float64(d.First+int64(i)) * d.Width }
