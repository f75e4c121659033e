package blockwise

import (
	"fmt"
	"math"
)

// Method says how the integers of a block are found.
type Method uint8

// The methods. Only a Matrix can have another one than Nearest, and its integers always have a zero
// point then.
const (
	// Nearest divides the range of a block evenly and rounds to nearest.
	Nearest Method = iota
	// KQuant chooses the scale and the zero point of a block whose error, weighted by the magnitudes
	// of the numbers, is the smallest of 21.
	KQuant
	// HQQ moves the zero point of a block, which need not be an integer, until few numbers have a
	// large error.
	HQQ
)

// largestSolved is the largest block of a Method other than Nearest.
const largestSolved = 256

func (m Matrix) checkMethod() error {
	switch {
	case m.Method == Nearest:
		return nil
	case m.Symmetric:
		return fmt.Errorf("blocks of this method have zero points, so they cannot be symmetric")
	case m.Size > largestSolved:
		return fmt.Errorf("blocks of this method have at most %d elements, not %d", largestSolved, m.Size)
	}
	return nil
}

// FitBytes is the size of a Fit in memory.
const FitBytes = 8

// Fit is what a Method other than Nearest found for a block.
type Fit struct {
	// factor is the scale of a block. For HQQ it is the inverse of the scale, as the reference
	// computes with it.
	factor, zero float32
}

// solver finds and applies the fits of a matrix. Each goroutine has one.
type solver struct {
	m *Matrix
	// inOrder adds up the numbers of a block one after another. It is set if the reference does so.
	inOrder                        bool
	padded                         [largestSolved]float32
	weights, codes, next           [largestSolved]float32
	products, squares, withNumbers [largestSolved]float32
	packed                         [largestSolved]byte
}

// solver returns nil if the matrix needs none.
func (m *Matrix) solver() *solver {
	if m.Method == Nearest {
		return nil
	}
	return &solver{m: m, inOrder: m.Blocks() == 1 && m.Cols > 1}
}

// pad returns the numbers of a block with zeros up to the size of a block, which take part in the fit as
// they do in the reference.
func (s *solver) pad(w []float32) []float32 {
	if int64(len(w)) == s.m.Size {
		return w
	}
	n := copy(s.padded[:], w)
	clear(s.padded[n:s.m.Size])
	return s.padded[:s.m.Size]
}

// solve returns the fit of a whole block, which belongs to a column.
func (s *solver) solve(w []float32, column int64) Fit {
	if s.m.Method == KQuant {
		return s.kquant(w)
	}
	return s.hqq(w, column, s.m.Iterations, nil)
}

// scale returns the scale of a fit, as it is stored.
func (s *solver) scale(f Fit) float32 {
	if s.m.Method == HQQ {
		return s.m.stored(1 / f.factor)
	}
	return s.m.stored(f.factor)
}

// integers returns the integers of a block.
func (s *solver) integers(w []float32, f Fit) []byte {
	out := s.packed[:len(w)]
	if s.m.Method == HQQ {
		full := s.m.full()
		for i, x := range w {
			out[i] = byte(inside(even(float32(x*f.factor)+f.zero), full))
		}
		return out
	}
	scale, zero, full := float64(f.factor), float64(f.zero), float64(s.m.full())
	for i, x := range w {
		switch v := math.RoundToEven(float64(x)/scale + zero); {
		case !(v > 0): // or NaN, which the reference also makes 0
			out[i] = 0
		default:
			out[i] = byte(min(v, full))
		}
	}
	return out
}

// inside returns x as one of the integers; NaN becomes 0.
func inside(x, full float32) float32 {
	if !(x > 0) {
		return 0
	}
	return min(x, full)
}

// solved quantizes a block of a column with a fit.
func (p *panel) solved(s *solver, w []float32, c, block int64) {
	m := &p.m
	full := s.pad(w)
	at := c*m.Blocks() + block
	var f Fit
	if m.Fits != nil {
		f = m.Fits[p.first*m.Blocks()+at]
	} else {
		f = s.solve(full, p.first+c)
	}
	p.fits[at], p.scales[at] = f, s.scale(f)
	zero := f.zero
	if m.Method == HQQ {
		zero = m.stored(f.zero)
	} else {
		m.putZero(p.zeros[c*m.ZeroBytes():(c+1)*m.ZeroBytes()], block, byte(zero))
	}
	if !p.codes && !p.measures {
		return
	}
	codes := s.integers(full, f)
	if p.measures {
		m.measureCodes(&p.errors[c], w, codes, grid{scale: p.scales[at], zero: zero}, func(i int) int64 { return m.position(block*m.Size+int64(i), p.first+c) })
	}
	if p.codes {
		to := p.packed[at*m.BlockBytes():][:m.BlockBytes()]
		for i, code := range codes {
			to[i*m.Bits/8] |= code << (i * m.Bits % 8)
		}
	}
}

// measureCodes adds what the numbers of a block lose.
func (r *Rule) measureCodes(e *blockErrors, w []float32, codes []byte, g grid, position func(i int) int64) {
	scale, zero := float64(g.scale), float64(g.zero)
	a, b := scale*(0-zero), scale*(float64(r.full())-zero)
	lo, hi := min(a, b), max(a, b)
	e.low, e.high = min(e.low, lo), max(e.high, hi)
	for i, v := range w {
		x := float64(v)
		d := math.Abs(x - scale*(float64(codes[i])-zero))
		e.signal += x * x
		e.noise += d * d
		if d > e.maxAbs {
			e.maxAbs, e.maxAt = d, position(i)
		}
		if d > math.Abs(scale) && (x < lo || x > hi) {
			e.cut++
		}
	}
}
