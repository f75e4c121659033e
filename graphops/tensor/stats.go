package tensor

import (
	"errors"
	"io"
	"math"
)

// Stats describes the numbers of a tensor. Min, Max, Mean and Std look at the
// finite ones and are NaN where there is none; Std divides by their count, as
// numpy's std does.
type Stats struct {
	Count int64  `json:"count"` // all numbers, two for a complex element
	Min   Number `json:"min"`
	Max   Number `json:"max"`
	Mean  Number `json:"mean"`
	Std   Number `json:"std"`
	NaN   int64  `json:"nan"`
	Inf   int64  `json:"inf"` // of either sign
}

// Summarize describes a numeric tensor in one pass.
func Summarize(t Tensor) (Stats, error) {
	r, err := t.Reader()
	if err != nil {
		return Stats{}, err
	}
	return SummarizeReader(r)
}

// SummarizeReader describes what is left in r in one pass.
func SummarizeReader(r *Reader) (Stats, error) {
	var s Summary
	for {
		chunk, err := r.Float64s()
		if errors.Is(err, io.EOF) {
			return s.Stats(), nil
		}
		if err != nil {
			return Stats{}, err
		}
		s.Add(chunk)
	}
}

// Summary collects Stats. The zero value is ready to use.
//
// For the spread, the first finite number is taken off all of them, which a
// large mean would otherwise drown. Each chunk gets its mean first and its
// squared deviations second, and chunks are joined by the formula of Chan,
// Golub and LeVeque (The American Statistician 37, 1983). Sums are kept scaled:
// numbers near the limits of a float64 do not overflow.
type Summary struct {
	count, nan, inf, finite int64
	min, max                float64
	scale                   scale
	total                   sum     // of the finite numbers, scaled
	first                   float64 // finite number
	shifted                 sum     // of the numbers less the first, scaled
	squares                 float64 // of the distances from the mean, scaled twice
}

// Add takes in the next numbers.
func (s *Summary) Add(xs []float64) {
	s.count += int64(len(xs))
	finite := int64(0)
	for _, x := range xs {
		switch {
		case x != x:
			s.nan++
		case math.IsInf(x, 0):
			s.inf++
		default:
			finite++
			s.extend(x)
		}
	}
	if finite == 0 {
		return
	}
	factor := s.scale.raise(max(s.max, -s.min))
	s.total.multiply(factor)
	s.shifted.multiply(factor)
	s.squares *= factor * factor
	s.join(xs, finite)
}

// extend widens min and max to hold x; the first finite number sets both.
func (s *Summary) extend(x float64) {
	if s.finite == 0 {
		s.min, s.max, s.first = x, x, x
	}
	s.finite++
	if x < s.min {
		s.min = x
	}
	if x > s.max {
		s.max = x
	}
}

// join merges the n finite numbers in xs, which extend has counted already.
func (s *Summary) join(xs []float64, n int64) {
	down := s.scale.down()
	first := s.first * down
	var shifted, squares sum
	for _, x := range xs {
		if isFinite(x) {
			s.total.add(x * down)
			shifted.add(x*down - first)
		}
	}
	mean := shifted.value() / float64(n)
	for _, x := range xs {
		if isFinite(x) {
			d := x*down - first - mean
			squares.add(d * d)
		}
	}
	s.squares += squares.value()
	if before := float64(s.finite - n); before > 0 {
		delta := mean - s.shifted.value()/before
		s.squares += delta * delta * before * float64(n) / float64(s.finite)
	}
	s.shifted.join(shifted)
}

// Stats gives what was collected so far.
func (s *Summary) Stats() Stats {
	out := Stats{Count: s.count, NaN: s.nan, Inf: s.inf}
	if s.finite == 0 {
		nan := Number(math.NaN())
		out.Min, out.Max, out.Mean, out.Std = nan, nan, nan, nan
		return out
	}
	out.Min, out.Max = Number(s.min), Number(s.max)
	out.Mean = Number(s.scale.up(s.total.value() / float64(s.finite)))
	out.Std = Number(s.scale.up(math.Sqrt(s.squares / float64(s.finite))))
	return out
}

func isFinite(x float64) bool { return x-x == 0 }
