package blockwise

import (
	"math"

	"lathe/graphops/tensor"
)

// code returns the integer of a number. The conversion keeps the compiler from fusing the product with
// the sum, which would round once instead of twice.
func (g *grid) code(x, full float32) byte {
	v := float32(x*g.inverse) + g.zero
	switch {
	case !(v > 0):
		return 0
	case v >= full:
		return byte(full)
	}
	return byte(float64(v) + 0.5)
}

// pack writes the codes of a block, the first in the lowest bits.
func (r *Rule) pack(dst []byte, w []float32, g grid) {
	full := r.full()
	switch r.Bits {
	case 8:
		for i, x := range w {
			dst[i] = g.code(x, full)
		}
	case 4:
		for ; len(w) >= 2; w, dst = w[2:], dst[1:] {
			dst[0] = g.code(w[0], full) | g.code(w[1], full)<<4
		}
		if len(w) > 0 {
			dst[0] = g.code(w[0], full)
		}
	default:
		for i, x := range w {
			dst[i/4] |= g.code(x, full) << (i % 4 * 2)
		}
	}
}

// blockErrors are the sums of a column.
type blockErrors struct {
	signal, noise, maxAbs, low, high float64
	maxAt, cut                       int64
}

// measure adds what the numbers of a block lose.
func (r *Rule) measure(e *blockErrors, w []float32, g grid, position func(i int) int64) {
	full, scale, zero := r.full(), float64(g.scale), float64(g.zero)
	a, b := scale*(0-zero), scale*(float64(full)-zero)
	lo, hi := min(a, b), max(a, b)
	e.low, e.high = min(e.low, lo), max(e.high, hi)
	for i, v := range w {
		x := float64(v)
		d := math.Abs(x - scale*(float64(g.code(v, full))-zero))
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

// add adds the sums of a column.
func (m *Measured) add(e *blockErrors, column int64) {
	total := &m.Error
	total.Signal += e.signal
	total.Noise += e.noise
	total.Cut += e.cut
	if e.maxAbs > total.MaxAbs || e.maxAbs == total.MaxAbs && e.maxAbs > 0 && e.maxAt < total.MaxAt {
		total.MaxAbs, total.MaxAt = e.maxAbs, e.maxAt
	}
	m.Low, m.High = min(m.Low, e.low), max(m.High, e.high)
	one := tensor.CodeError{Signal: e.signal, Noise: e.noise}
	if snr := one.SNR(); total.Worst < 0 || snr < total.WorstSNR {
		total.Worst, total.WorstSNR = column, snr
	}
}

// finish sets the worst column of a weight that has only one, or none.
func (m *Measured) finish(columns int64) {
	if columns <= 1 || m.Error.Worst < 0 {
		m.Error.Worst, m.Error.WorstSNR = 0, m.Error.SNR()
	}
}
