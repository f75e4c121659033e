package blockwise

import "math"

// kquant finds the fit of a block as quant_tensor_k_quant_cpu of onnxruntime.quantization does, bit for
// bit: each number has a weight, its magnitude plus the root of the mean square of its block. It starts
// from the scale that divides the range evenly, and tries twenty that divide a narrower or a wider one.
// For each, the scale and the minimum that fit the resulting integers best are found by weighted least
// squares. The method is that of llama.cpp.
func (s *solver) kquant(w []float32) Fit {
	full := s.m.full()
	lo, hi := bounds(w)
	sums := s.weigh(w)
	inverse := float32(1)
	if lo != hi {
		inverse = full / (hi - lo)
	}
	scale := 1 / inverse
	round(s.codes[:], w, inverse, lo, full)
	best := s.weighed(w, s.codes[:], scale, lo)
	for step := range kquantSteps {
		inverse = 1
		if lo != hi {
			inverse = float32(float64(-1+float64(0.1*float64(step)))+float64(full)) / (hi - lo)
		}
		round(s.next[:], w, inverse, lo, full)
		newScale, newLo := s.leastSquares(w, sums)
		if e := s.weighed(w, s.next[:], newScale, newLo); e < best {
			best, scale, lo = e, newScale, newLo
		}
	}
	return Fit{factor: scale, zero: inside(even(-lo/scale), full)}
}

// kquantSteps is how many ranges are tried.
const kquantSteps = 20

// weightSums are the sums of the weights of a block, and of the weighted numbers.
type weightSums struct{ weights, numbers float32 }

// weigh computes the weights of the numbers.
func (s *solver) weigh(w []float32) weightSums {
	for i, x := range w {
		s.products[i] = x * x
	}
	mean := float32(math.Sqrt(float64(s.sum(s.products[:len(w)]) / float32(len(w)))))
	for i, x := range w {
		s.weights[i] = mean + abs(x)
		s.products[i] = s.weights[i] * x
	}
	return weightSums{s.sum(s.weights[:len(w)]), s.sum(s.products[:len(w)])}
}

// round writes the integers of the numbers, counted from lo. Adding 2^23 rounds a number from 0 to 2^22 to
// the nearest integer, halves to the even one.
func round(codes, w []float32, inverse, lo, full float32) {
	const unit = 1 << 23
	codes = codes[:len(w)]
	for i, x := range w {
		v := inverse * (x - lo)
		switch { // NaN stays, so that its error is not the smallest
		case v < 0:
			v = 0
		case v > full:
			v = full
		}
		codes[i] = float32(v+unit) - unit
	}
}

// leastSquares returns the scale and the minimum with which the integers in s.next are closest to the
// numbers.
func (s *solver) leastSquares(w []float32, sums weightSums) (scale, lo float32) {
	n := len(w)
	weights, codes, products, squares, withNumbers := s.weights[:n], s.next[:n], s.products[:n], s.squares[:n], s.withNumbers[:n]
	for i, x := range w {
		l := weights[i] * codes[i]
		products[i], squares[i], withNumbers[i] = l, l*codes[i], l*x
	}
	l, l2, xl := s.sum(products), s.sum(squares), s.sum(withNumbers)
	d := float32(sums.weights*l2) - float32(l*l)
	scale = (float32(sums.weights*xl) - float32(sums.numbers*l)) / d
	lo = (float32(l2*sums.numbers) - float32(l*xl)) / d
	return scale, lo
}

// weighed returns the weighted square error of a block.
func (s *solver) weighed(w, codes []float32, scale, lo float32) float32 {
	n := len(w)
	weights, products := s.weights[:n], s.products[:n]
	codes = codes[:n]
	for i, x := range w {
		d := float32(float32(scale*codes[i])+lo) - x
		products[i] = weights[i] * float32(d*d)
	}
	return s.sum(products)
}

// sum adds up numbers in the order in which NumPy does. A matrix with one block in each column is
// transposed in memory there, so that NumPy adds up the rows one after another.
func (s *solver) sum(a []float32) float32 {
	if !s.inOrder {
		return pairwise(a)
	}
	var total float32
	for _, x := range a {
		total += x
	}
	return total
}

// pairwise is the sum of adjacent numbers in NumPy.
func pairwise(a []float32) float32 {
	const lanes, most = 8, 128
	switch n := len(a); {
	case n < lanes:
		var total float32
		for _, x := range a {
			total += x
		}
		return total
	case n > most:
		half := n / 2 / lanes * lanes
		return pairwise(a[:half]) + pairwise(a[half:])
	}
	r := [lanes]float32(a)
	for a = a[lanes:]; len(a) >= lanes; a = a[lanes:] {
		for i := range r {
			r[i] += a[i]
		}
	}
	total := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for _, x := range a {
		total += x
	}
	return total
}
