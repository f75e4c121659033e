package tensor

import (
	"fmt"
	"io"
	"math"
)

// DeviationF8E4M3FN is the standard deviation of all finite numbers of type F8E4M3FN, in float32.
const DeviationF8E4M3FN float32 = 0x1.903b1cp+6

// offsetDeviations limits the distance of a mean from 0, in standard deviations, up to which the
// scale depends only on the standard deviation. With such a scale the type covers
// 448/DeviationF8E4M3FN = 4.5 standard deviations around 0. If normally distributed numbers have a
// mean of two standard deviations, one in 150 is outside of this.
const offsetDeviations = 2

// Float8 returns the scale for quantizing numbers to type F8E4M3FN, as ONNX Runtime's quantizer
// chooses it (compute_scale_zp_float8): the scaled numbers have the same standard deviation as the
// numbers of that type. If the mean is so far from 0 that many numbers would be outside the range,
// Float8 uses the root mean square instead of the standard deviation. offset reports that it did
// so.
func (s Spread) Float8() (a Affine, offset bool) {
	far := s.Deviation
	if offset = math.Abs(float64(s.Mean)) > offsetDeviations*float64(s.Deviation); offset {
		far = float32(math.Hypot(float64(s.Mean), float64(s.Deviation)))
	}
	a.Scale = far / DeviationF8E4M3FN
	if a.Scale < smallestNormal {
		a.Scale = 1
	}
	return a, offset
}

// quantizeFloat8 is Quantize for F8E4M3FN. Numbers are divided by the scale, rounded half to even,
// and limited to the range of the type.
func quantizeFloat8(dst io.Writer, src io.Reader, n int64, c Channels, by []Affine) error {
	if err := checkFloat8(c, by); err != nil {
		return err
	}
	return convertFloat32(dst, src, n, func(_ int, part chunk) ([]byte, error) {
		out := part.room[:len(part.raw)/4]
		c.each(part.at, len(out), func(channel int64, i int) {
			out[i] = byte(formatF8E4M3FN.encode(float64(float32At(part.raw, i) / by[channel].Scale)))
		})
		return out, nil
	})
}

func checkFloat8(c Channels, by []Affine) error {
	if int64(len(by)) != c.Count {
		return fmt.Errorf("there are %d scales for %d channels, expected one for each", len(by), c.Count)
	}
	for _, a := range by {
		if a.Zero != 0 {
			return fmt.Errorf("zero point %d, expected 0 of type %s", a.Zero, F8E4M3FN)
		}
	}
	return nil
}

// float8Error is QuantizeError for F8E4M3FN.
func float8Error(src io.Reader, n int64, c Channels, by []Affine) (CodeError, error) {
	e, channels := CodeError{Elements: n}, make([]power, c.Count)
	if err := checkFloat8(c, by); err != nil {
		return e, err
	}
	back := formatF8E4M3FN.table()
	one := func(channel, at int64, x float32) {
		t := x / by[channel].Scale
		if t-t != 0 || x-x != 0 {
			e.NotFinite++
			return
		}
		code := formatF8E4M3FN.encode(float64(t))
		if math.Abs(float64(t)) > maxF8E4M3FN+maxF8E4M3FN/28 { // half a step above the largest number
			e.Cut++
		}
		e.take(&channels[channel], float64(x), float64(by[channel].Scale)*back[code], at)
	}
	err := eachFloat32(src, n, func(at int64, raw []byte) error {
		c.each(at, len(raw)/4, func(channel int64, i int) { one(channel, at+int64(i), float32At(raw, i)) })
		return nil
	})
	e.sum(channels)
	return e, err
}

// maxF8E4M3FN is the largest number of type F8E4M3FN.
const maxF8E4M3FN = 448
