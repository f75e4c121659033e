package tensor

import (
	"io"
	"math"
)

// CodeError says how much numbers change when they are converted to a smaller type and back.
// Numbers that are not finite are counted but not measured.
type CodeError struct {
	Elements int64
	// NotFinite counts NaN and infinities.
	NotFinite int64
	// Cut counts the numbers outside the range that the type covers at its scale. They become the
	// nearest number in that range.
	Cut int64
	// MaxAbs is the largest change, and MaxAt is the position of the first element with that
	// change.
	MaxAbs float64
	MaxAt  int64
	// Signal is the sum of the squares of the numbers, and Noise that of the changes.
	Signal, Noise float64
	// Worst is the channel with the lowest signal-to-noise ratio, and WorstSNR is this ratio in dB.
	// If there is only one channel, the ratio is that of all elements.
	Worst    int64
	WorstSNR float64
}

// SNR returns the signal-to-noise ratio in dB, 10·log10(Signal/Noise). It is infinite if nothing
// changes.
func (e CodeError) SNR() float64 { return decibels(e.Signal, e.Noise) }

func decibels(signal, noise float64) float64 {
	switch {
	case noise == 0:
		return math.Inf(1)
	case signal == 0:
		return math.Inf(-1)
	}
	return 10 * math.Log10(signal/noise)
}

// power has the sums for one channel: the squares of the numbers and of the changes.
type power struct{ signal, noise float64 }

// take adds the number x, whose converted value is y, at position at.
func (e *CodeError) take(p *power, x, y float64, at int64) {
	change := y - x
	p.signal += x * x
	p.noise += change * change
	if change = math.Abs(change); change > e.MaxAbs {
		e.MaxAbs, e.MaxAt = change, at
	}
}

// sum adds up the channels and determines the worst of them.
func (e *CodeError) sum(channels []power) {
	e.WorstSNR = math.Inf(1)
	for i, p := range channels {
		e.Signal += p.signal
		e.Noise += p.noise
		if snr := decibels(p.signal, p.noise); snr < e.WorstSNR {
			e.Worst, e.WorstSNR = int64(i), snr
		}
	}
}

// QuantizeError reads n float32s from src. It determines how much Quantize would change them, if
// the integers were converted back to Scale·(code−Zero).
func QuantizeError(src io.Reader, n int64, to DType, c Channels, by []Affine) (CodeError, error) {
	if to == F8E4M3FN {
		return float8Error(src, n, c, by)
	}
	q, err := newQuantizer(to, c, by)
	if err != nil {
		return CodeError{}, err
	}
	e, channels := CodeError{Elements: n}, make([]power, c.Count)
	one := func(channel, at int64, x float32) {
		r := q.round.At(channel)
		t := x / r.Scale
		if t-t != 0 || x-x != 0 {
			e.NotFinite++
			return
		}
		if t < r.Lo-0.5 || t > r.Hi+0.5 {
			e.Cut++
		}
		y := float64(r.Scale) * float64(r.Integer(x)-by[channel].Zero)
		e.take(&channels[channel], float64(x), y, at)
	}
	err = eachFloat32(src, n, func(at int64, raw []byte) error {
		c.each(at, len(raw)/4, func(channel int64, i int) { one(channel, at+int64(i), float32At(raw, i)) })
		return nil
	})
	e.sum(channels)
	return e, err
}

// Error reads n float32s from src and determines how much Write would change them. Its result
// counts numbers as Cut if Write moves them to a bound or makes them infinite.
func (r Narrowing) Error(src io.Reader, n int64) (CodeError, error) {
	k, err := r.kernel()
	if err != nil {
		return CodeError{}, err
	}
	e, sums := CodeError{Elements: n}, make([]power, 1)
	var half []byte
	var back []float64
	err = eachFloat32(src, n, func(at int64, raw []byte) error {
		count := len(raw) / 4
		if half == nil {
			half, back = make([]byte, 2*count), make([]float64, count)
		}
		k.convert(half[:2*count], raw, r.bounds())
		if err := decodeFloat64(back[:count], r.To, half[:2*count]); err != nil {
			return err
		}
		for i, y := range back[:count] {
			x := float64(float32At(raw, i))
			switch {
			case x-x != 0:
				e.NotFinite++
				continue
			case y-y != 0:
				e.Cut++
				y = math.Copysign(math.MaxFloat32, x)
			case r.MaxFinite != 0 && math.Abs(x) > float64(r.MaxFinite), r.MinPositive != 0 && x != 0 && math.Abs(x) < float64(r.MinPositive):
				e.Cut++
			}
			e.take(&sums[0], x, y, at+int64(i))
		}
		return nil
	})
	e.sum(sums)
	return e, err
}
