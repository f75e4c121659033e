package tensor

import "math"

// sum is a sum of float64s. It also adds up the rounding errors of the additions, so that the error
// of the result does not grow with the number of terms. A rounding error is computed without a
// branch (D. E. Knuth, The Art of Computer Programming 2, section 4.2.2).
type sum struct{ total, lost float64 }

func (s *sum) add(x float64) {
	t := s.total + x
	y := t - s.total
	s.lost += (s.total - (t - y)) + (x - y)
	s.total = t
}

func (s *sum) value() float64 {
	if !IsFinite(s.total) { // then the collected rounding error is NaN
		return s.total
	}
	return s.total + s.lost
}

func (s *sum) multiply(f float64) {
	s.total *= f
	s.lost *= f
}

// scale keeps sums of squares within the range of float64. Terms are multiplied by 2^-exponent
// before they are squared; 2^exponent is larger than all terms so far. Multiplying by a power of
// two is exact.
type scale struct {
	exponent int
	set      bool
}

// raise enlarges the scale if magnitude is the largest so far. It returns the factor by which the
// caller must multiply sums of scaled terms, which is 1 if the scale did not change.
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

// up returns x, a sum of scaled terms, without the scale.
func (s *scale) up(x float64) float64 { return math.Ldexp(x, s.exponent) }
