package tensor

import "math"

// sum adds float64s and also collects the rounding error of each addition, so that the error of the
// result does not grow with the number of terms. The rounding error is computed without a branch
// (D. E. Knuth, The Art of Computer Programming 2, section 4.2.2).
type sum struct{ total, lost float64 }

func (s *sum) add(x float64) {
	t := s.total + x
	y := t - s.total
	s.lost += (s.total - (t - y)) + (x - y)
	s.total = t
}

func (s *sum) value() float64 {
	if !isFinite(s.total) { // the collected error is NaN then
		return s.total
	}
	return s.total + s.lost
}

func (s *sum) multiply(f float64) {
	s.total *= f
	s.lost *= f
}

// scale keeps sums of squares within the range of float64: terms are multiplied by 2^-exponent,
// where 2^exponent exceeds all magnitudes so far. With powers of two this is exact.
type scale struct {
	exponent int
	set      bool
}

// raise adjusts the scale to a magnitude and returns the factor by which linear sums so far must be
// multiplied: 1 unless the magnitude is the largest so far.
func (s *scale) raise(magnitude float64) float64 {
	if magnitude == 0 {
		return 1
	}
	_, e := math.Frexp(magnitude)
	e = max(e, -1000) // 2^1000 still brings the smallest subnormals into range
	if s.set && e <= s.exponent {
		return 1
	}
	factor := 1.0
	if s.set {
		factor = math.Ldexp(1, s.exponent-e)
	}
	s.exponent, s.set = e, true
	return factor
}

func (s *scale) down() float64 { return math.Ldexp(1, -s.exponent) }

// up converts a scaled value back.
func (s *scale) up(x float64) float64 { return math.Ldexp(x, s.exponent) }
