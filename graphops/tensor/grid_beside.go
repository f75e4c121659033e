package tensor

import (
	"fmt"
	"math"
	"slices"
)

// PairGrid is a Grid of the differences between two tensors.
type PairGrid struct {
	Rows, Columns int
	Down, Across  int64
	Cells         []PairCell
}

// PairCell summarizes the differences between two tensors in one cell of a PairGrid. The difference
// of complex numbers is their distance in the complex plane.
type PairCell struct {
	Max    float64 // of |a-b| for finite pairs
	Finite int64
	// Odd counts the pairs that have a number that is not finite and do not agree. NaN agrees with
	// NaN, and an infinity agrees with the same infinity.
	Odd int64
	// At is the row-major position of the pair with the largest difference, or of the first odd
	// pair if there is one. A and B are the numbers of that pair. For complex numbers these are the
	// magnitudes.
	At   int64
	A, B float64
}

// GridBeside reduces the differences between two numeric tensors of the same shape to cells, as
// Stored.Grid does for one tensor.
func GridBeside(a, b Stored, v View, rows, columns int) (PairGrid, error) {
	if !slices.Equal(a.Shape, b.Shape) {
		return PairGrid{}, fmt.Errorf("the shapes differ: %s and %s", FormatShape(a.Shape), FormatShape(b.Shape))
	}
	if err := checkComparable(a.DType, b.DType); err != nil {
		return PairGrid{}, err
	}
	scanA, err := a.scanned(v, rows, columns)
	if err != nil || slices.Contains(a.Shape, 0) {
		return PairGrid{}, err
	}
	scanB, err := newScanner(b)
	if err != nil {
		return PairGrid{}, err
	}
	p := &pairGridder{gridder: newGridder(scanA, v, rows, columns), other: scanB}
	p.line = p.pairsOf
	p.out = PairGrid{p.g.Rows, p.g.Columns, p.g.Down, p.g.Across, make([]PairCell, len(p.cells))}
	for i := range p.out.Cells {
		p.out.Cells[i].At = -1
	}
	if err := p.walk(p.axes, gridPlace{element: p.base}); err != nil {
		return PairGrid{}, err
	}
	return p.out, nil
}

// pairGridder computes the cells of a PairGrid.
type pairGridder struct {
	*gridder
	other *scanner
	out   PairGrid

	as, bs       [chunkNumbers]float64
	intsA, intsB [chunkNumbers]int64
	distances    [chunkNumbers]float64
}

// pairsOf reads the pairs along an axis and adds them to their cells.
func (p *pairGridder) pairsOf(a gridAxis, from gridPlace) error {
	components := p.scan.DType.Components()
	for at := int64(0); at < a.length; {
		n := int(min(a.length-at, int64(chunkNumbers/components)))
		if err := p.read(from.element+at*a.stride, a.stride, n); err != nil {
			return err
		}
		p.share(a, a.step(from, at), n, func(cell, lo, hi int, at gridPlace) {
			c := &p.out.Cells[cell]
			for i := lo; i < hi; i++ {
				c.add(p.as[i], p.bs[i], p.distances[i], at.element+int64(i-lo)*a.stride)
			}
		})
		at += int64(n)
	}
	return nil
}

// read reads n pairs of elements and computes their differences. Those of integers are computed
// before they are rounded to float64.
func (p *pairGridder) read(first, stride int64, n int) error {
	for _, side := range []struct {
		scan *scanner
		xs   []float64
		ints []int64
	}{{p.scan, p.as[:], p.intsA[:]}, {p.other, p.bs[:], p.intsB[:]}} {
		if err := side.scan.elements(p.raw, first, stride, n); err != nil {
			return err
		}
		if err := decodeFloat64(side.xs[:n*p.scan.DType.Components()], side.scan.DType, p.raw); err != nil {
			return err
		}
		if side.scan.DType.isInteger() {
			if err := decodeInt64(side.ints[:n], side.scan.DType, p.raw); err != nil {
				return err
			}
		}
	}
	switch {
	case p.scan.DType.Components() == 2:
		for i := range n {
			p.distances[i] = math.Hypot(p.as[2*i]-p.bs[2*i], p.as[2*i+1]-p.bs[2*i+1])
		}
		lengths(p.as[:2*n])
		lengths(p.bs[:2*n])
	case p.scan.DType.isInteger() && p.other.DType.isInteger():
		for i := range n {
			p.distances[i] = math.Abs(distanceOf(p.intsA[i], p.intsB[i], p.scan.DType == U64))
		}
	default:
		for i := range n {
			p.distances[i] = math.Abs(p.as[i] - p.bs[i])
		}
	}
	return nil
}

// distanceOf returns a-b for two integers. If unsigned is set, a and b have the bits of uint64s.
func distanceOf(a, b int64, unsigned bool) float64 {
	if unsigned {
		return difference(uint64(a), uint64(b))
	}
	return difference(a, b)
}

// add adds a pair.
func (c *PairCell) add(a, b, distance float64, at int64) {
	finite := IsFinite(a) && IsFinite(b)
	switch {
	case finite:
		c.Finite++
		if c.At >= 0 && (c.Odd > 0 || !(distance > c.Max)) {
			c.Max = max(c.Max, distance)
			return
		}
		c.Max = distance
	case a == b || a != a && b != b:
		if c.At >= 0 {
			return
		}
	default:
		c.Odd++
		if c.Odd > 1 {
			return
		}
	}
	c.At, c.A, c.B = at, a, b
}
