package tensor

import "math"

// Stats describes the numbers of a tensor. Min, Max, Mean and Std cover the finite ones and are NaN
// if there are none; Std divides by their count, like numpy's std.
type Stats struct {
	Count int64  `json:"count"` // all numbers, two for a complex element
	Min   Number `json:"min"`
	Max   Number `json:"max"`
	Mean  Number `json:"mean"`
	Std   Number `json:"std"`
	NaN   int64  `json:"nan"`
	Inf   int64  `json:"inf"` // of either sign
}

// Summary collects Stats. The zero value is ready to use.
//
// A large mean would make the standard deviation imprecise. Therefore the first finite number is
// subtracted from all numbers. The squared deviations of each chunk are computed from the mean of
// that chunk, and chunks are combined by the formula of Chan, Golub and LeVeque (The American
// Statistician 37, 1983). Sums are scaled, so that numbers near the limits of float64 do not
// overflow.
type Summary struct {
	count, nan, inf, finite int64
	min, max                float64
	scale                   scale
	total                   sum     // of the finite numbers, scaled
	first                   float64 // the first finite number
	shifted                 sum     // of the numbers minus the first, scaled
	squares                 float64 // of the distances from the mean, scaled twice
}

// Add adds the next numbers.
func (s *Summary) Add(xs []float64) {
	s.count += int64(len(xs))
	for len(xs) > 0 {
		n := min(len(xs), chunkNumbers)
		s.addChunk(xs[:n])
		xs = xs[n:]
	}
}

func (s *Summary) addChunk(xs []float64) {
	if s.finite == 0 {
		s.min, s.max = math.Inf(1), math.Inf(-1)
	}
	var other int
	s.min, s.max, other = extremes(xs, s.min, s.max)
	if other > 0 {
		var finite [chunkNumbers]float64
		xs = s.finiteOnly(finite[:0], xs)
	}
	if len(xs) == 0 {
		return
	}
	if s.finite == 0 {
		s.first = xs[0]
	}
	s.finite += int64(len(xs))
	factor := s.scale.raise(max(s.max, -s.min))
	s.total.multiply(factor)
	s.shifted.multiply(factor)
	s.squares *= factor * factor
	s.join(xs)
}

// extremes extends the range from lo to hi to the finite numbers among xs. other is the number of
// the others.
func extremes(xs []float64, lo, hi float64) (low, high float64, other int) {
	for _, x := range xs {
		if !IsFinite(x) {
			other++
			continue
		}
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return lo, hi, other
}

// finiteOnly appends the finite numbers among xs to dst and counts the others.
func (s *Summary) finiteOnly(dst, xs []float64) []float64 {
	for _, x := range xs {
		switch {
		case IsFinite(x):
			dst = append(dst, x)
		case x != x:
			s.nan++
		default:
			s.inf++
		}
	}
	return dst
}

// join adds a chunk of finite numbers to the sums. s.finite includes them already.
func (s *Summary) join(xs []float64) {
	down := s.scale.down()
	first := s.first * down
	total, shifted := sums(xs, down, first)
	s.total.add(total)
	n := float64(len(xs))
	mean := shifted / n
	s.squares += squares(xs, down, first, mean)
	if before := float64(s.finite) - n; before > 0 {
		delta := mean - s.shifted.value()/before
		s.squares += delta * delta * before * n / float64(s.finite)
	}
	s.shifted.add(shifted)
}

// sums multiplies the numbers by down and returns their sum, and the sum of their differences from
// first. Each sum is computed as four parallel ones, which is faster and more precise.
func sums(xs []float64, down, first float64) (total, shifted float64) {
	var t0, t1, t2, t3, s0, s1, s2, s3 float64
	for ; len(xs) >= 4; xs = xs[4:] {
		a, b, c, d := xs[0]*down, xs[1]*down, xs[2]*down, xs[3]*down
		t0, t1, t2, t3 = t0+a, t1+b, t2+c, t3+d
		s0, s1, s2, s3 = s0+(a-first), s1+(b-first), s2+(c-first), s3+(d-first)
	}
	for _, x := range xs {
		t0, s0 = t0+x*down, s0+(x*down-first)
	}
	return (t0 + t1) + (t2 + t3), (s0 + s1) + (s2 + s3)
}

// squares multiplies the numbers by down and returns the sum of their squared distances from their
// mean. mean is the mean minus first.
func squares(xs []float64, down, first, mean float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(xs) >= 4; xs = xs[4:] {
		a, b := xs[0]*down-first-mean, xs[1]*down-first-mean
		c, d := xs[2]*down-first-mean, xs[3]*down-first-mean
		s0, s1, s2, s3 = s0+a*a, s1+b*b, s2+c*c, s3+d*d
	}
	for _, x := range xs {
		d := x*down - first - mean
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// Stats returns the statistics so far.
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

// IsFinite reports whether a number is neither NaN nor infinite.
func IsFinite(x float64) bool { return x-x == 0 }

// RMS is the root of the mean square of the finite numbers, or 0.
func RMS(list []float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range list {
		if IsFinite(x) {
			sum, n = sum+x*x, n+1
		}
	}
	return math.Sqrt(sum / math.Max(1, n))
}
