package blockwise

import (
	"context"
	"math"
)

// Settings of HQQ, as HQQWeightOnlyQuantizer of onnxruntime.quantization has them.
const (
	hqqIterations = 20
	hqqPower      = -0.3 // the norm 0.7, minus 1
	hqqBeta       = 10
	hqqKappa      = 1.01 // by which beta grows
	hqqMostScale  = 2e4
	hqqFirstError = 1e4
)

// hqq finds the fit of a whole block with the given number of iterations. The scale divides the range
// evenly. Each iteration quantizes the numbers, takes the errors that are large for errors of outliers,
// and moves the zero point to where the others are smallest. If errors is set, the magnitudes of the
// errors of each iteration are added to it.
func (s *solver) hqq(w []float32, column int64, iterations int, errors *[hqqIterations]float64) Fit {
	lo, hi := bounds(w)
	full := s.m.full()
	width := hi - lo
	if width == 0 {
		width = full
	}
	scale := min(float32(1/width)*full, hqqMostScale) // PyTorch divides so
	zero := even(-lo * scale)
	beta := float64(hqqBeta)
	const unit = 1 << 23
	for i := range iterations {
		part := float32(1 / beta)
		threshold := shrinkThreshold(beta)
		for k, x := range w {
			q := min(max(float32(x*scale)+zero, 0), full)
			q = float32(q+unit) - unit // the nearest integer
			d := x - (q-zero)/scale
			if errors != nil {
				errors[i] += float64(abs(d))
			}
			if abs(d) > threshold {
				x -= shrink(d, part)
			}
			s.products[k] = q - float32(x*scale)
		}
		zero = s.rowSum(s.products[:len(w)], column) / float32(len(w))
		beta *= hqqKappa
	}
	return Fit{factor: scale, zero: zero}
}

// shrinkThreshold returns a magnitude up to which shrink is 0: a little less than where
// x = x^-0.3/beta.
func shrinkThreshold(beta float64) float32 {
	return float32(0.999 * math.Pow(1/beta, 1/(1-hqqPower)))
}

// shrink moves a number towards 0, large ones by less than small ones.
func shrink(x, part float32) float32 {
	size := abs(x)
	size -= part * float32(math.Pow(float64(size+1e-8), float64(float32(hqqPower))))
	if !(size > 0) {
		return 0
	}
	return float32(math.Copysign(float64(size), float64(x)))
}

// settle returns after how many iterations of HQQ the mean error of the whole matrix, with its padding,
// no longer becomes smaller.
func (m Matrix) settle(ctx context.Context, progress func(int64)) (int, error) {
	var total [hqqIterations]float64
	err := m.each(ctx, panel{settles: true}, progress, func(p *panel) error {
		for _, c := range p.residues {
			for i, x := range c {
				total[i] += x
			}
		}
		return nil
	})
	count := float64(m.Cols * m.Blocks() * m.Size)
	best := float32(hqqFirstError)
	for i, x := range total {
		e := float32(x / count)
		if !(e < best) {
			return i + 1, err
		}
		best = e
	}
	return hqqIterations, err
}

// settled returns the matrix with its number of iterations, and a function for the progress of reading
// it after that.
func (m Matrix) settled(ctx context.Context, progress func(int64)) (Matrix, func(int64), error) {
	if m.Method != HQQ || m.Iterations > 0 || m.Rows == 0 {
		return m, progress, nil
	}
	half := func(before int64) func(int64) {
		if progress == nil {
			return nil
		}
		return func(read int64) { progress((before + read) / 2) }
	}
	var err error
	m.Iterations, err = m.settle(ctx, half(0))
	return m, half(m.Rows * m.Cols * widths[m.Elem]), err
}

// rowSum adds up the numbers of a block in the order in which PyTorch does on a processor with AVX2 and
// in one thread. A matrix whose only block in each column needs no padding is transposed in memory
// there.
func (s *solver) rowSum(a []float32, column int64) float32 {
	if s.inOrder && s.m.Rows == s.m.Size {
		if column < s.m.Cols/(lanes*unrolled)*(lanes*unrolled) {
			return cascade(a, 0, 1)
		}
		return interleaved(a, 0, 1, unrolled)
	}
	var total float32
	whole := len(a) / lanes * lanes
	for _, x := range a[whole:] {
		total += x
	}
	var sums [unrolled][lanes]float32
	together := whole / (lanes * unrolled)
	for i := 0; i < whole/lanes; i++ {
		k := i % unrolled
		if i >= together*unrolled {
			k = 0
		}
		to, from := &sums[k], a[i*lanes:][:lanes]
		for lane, x := range from {
			to[lane] += x
		}
	}
	for lane := range lanes {
		total += ((sums[0][lane] + sums[1][lane]) + sums[2][lane]) + sums[3][lane]
	}
	return total
}

// How PyTorch adds up: as many numbers at a time, in as many sums.
const lanes, unrolled = 8, 4

// interleaved adds up every step-th number from first on, as several sums side by side.
func interleaved(a []float32, first, step, several int) float32 {
	count := (len(a) - first + step - 1) / step
	var sums [4]float32
	for k := range several {
		end := first + count/several*several*step
		sums[k] = cascade(a[:min(end, len(a))], first+k*step, several*step)
	}
	for i := count / several * several; i < count; i++ {
		sums[0] += a[first+i*step]
	}
	return ((sums[0] + sums[1]) + sums[2]) + sums[3]
}

// cascade adds up every step-th number from first on, with partial sums of 16 numbers, and of 16 such
// sums.
func cascade(a []float32, first, step int) float32 {
	const many, levels, bits = 16, 4, 4
	var acc [levels]float32
	i := 0
	for at := first; at < len(a); at += step {
		acc[0] += a[at]
		if i++; i%many > 0 {
			continue
		}
		for j := 1; j < levels; j++ {
			acc[j] += acc[j-1]
			acc[j-1] = 0
			if i>>(bits*j)&(many-1) != 0 {
				break
			}
		}
	}
	return ((acc[0] + acc[1]) + acc[2]) + acc[3]
}
