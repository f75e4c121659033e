package tensor

import (
	"fmt"
	"io"
	"math"

	"lathe/graphops/kernels"
)

// Affine maps the integers q of a quantized tensor to real numbers: Scale·(q−Zero). Zero is the
// zero point.
type Affine struct {
	Scale float32
	Zero  int32
}

// AffineRule says how the scale and zero point of an Affine are chosen for a range.
type AffineRule struct {
	// the integer type: I8, U8, I16, U16, I4 or U4; or F8E4M3FN, whose scale comes from
	// Spread.Float8
	Type      DType
	Symmetric bool // mirror the range at 0, so that 0 lies in the middle
	// Reduced leaves one bit of the integers unused. Kernels on processors without VNNI
	// instructions add two products in 16 bits, which would saturate if both factors used all bits.
	Reduced bool
}

// codes returns the integers to which the ends of a range are mapped, as in ONNX Runtime. If a rule
// is both Reduced and Symmetric, Reduced determines them.
func (a AffineRule) codes() (lo, hi float64, err error) {
	switch {
	case a.Type == I8 && a.Reduced:
		return -64, 64, nil
	case a.Type == I8 && a.Symmetric:
		return -127, 127, nil
	case a.Type == I8:
		return -128, 127, nil
	case a.Type == U8 && a.Reduced:
		return 0, 127, nil
	case a.Type == U8:
		return 0, 255, nil
	}
	return a.wideCodes()
}

// Codes returns the integers to which the ends of a range are mapped.
func (a AffineRule) Codes() (lo, hi float64, err error) { return a.codes() }

// smallestNormal is the smallest scale that is used, 2^-126. A smaller scale would be subnormal and
// have too little precision.
const smallestNormal = 0x1p-126

// Affine returns the scale and zero point for the range r, as ONNX Runtime's quantizer computes
// them (compute_scale_zp). The width of the range is computed in float32. The division and the
// rounding to a zero point are made in float64, and the scale is rounded to float32 at the end. If
// the width exceeds the range of float32, it is computed in float64. A range that is too narrow for
// a scale gets the scale 1 and the zero point 0, which map its numbers to 0.
func (a AffineRule) Affine(r Range) (Affine, error) {
	lo, hi, err := a.codes()
	if err == nil && a.Type == F8E4M3FN {
		err = fmt.Errorf("the scale of %s is computed from the mean and standard deviation, not from a range", a.Type)
	}
	if err != nil {
		return Affine{}, err
	}
	if a.Symmetric {
		r = r.mirrored()
	}
	width := float64(r.Max - r.Min)
	if r.Overflows(false) {
		width = float64(r.Max) - float64(r.Min)
	}
	scale := width / (hi - lo)
	if scale < smallestNormal {
		return Affine{Scale: 1}, nil
	}
	zero := math.RoundToEven(lo - float64(r.Min)/scale)
	if a.Symmetric {
		zero = math.RoundToEven((lo + hi) / 2)
	}
	return Affine{float32(scale), int32(zero)}, nil
}

// Quantize reads n finite float32s from src and writes them to dst as integers of type I8, U8, I16,
// U16, I4 or U4. by has the Affine of each channel. A number is divided by the scale, rounded half
// to even, shifted by the zero point, and saturated. Of two 4-bit integers in a byte, the first has
// the low bits. For type F8E4M3FN, the quotients are instead rounded to numbers of that type.
func Quantize(dst io.Writer, src io.Reader, n int64, to DType, c Channels, by []Affine) error {
	if to == F8E4M3FN {
		return quantizeFloat8(dst, src, n, c, by)
	}
	q, err := newQuantizer(to, c, by)
	if err != nil {
		return err
	}
	if to.Bits() != 8 {
		return q.quantizeWide(dst, src, n, to)
	}
	return convertFloat32(dst, src, n, func(_ int, c chunk) ([]byte, error) {
		out := c.room[:len(c.raw)/4]
		q.put(out, c.raw, c.at)
		return out, nil
	})
}

type quantizer struct {
	channels Channels
	round    kernels.Rounders // by channel
}

func newQuantizer(to DType, c Channels, by []Affine) (*quantizer, error) {
	lo, hi, err := AffineRule{Type: to}.codes()
	if err != nil {
		return nil, err
	}
	if int64(len(by)) != c.Count {
		return nil, fmt.Errorf("there are %d scales for %d channels, expected one for each", len(by), c.Count)
	}
	q := &quantizer{c, kernels.NewRounders(len(by))}
	for i, a := range by {
		q.round.Set(i, kernels.Rounder{
			Scale: a.Scale, Lo: float32(lo) - float32(a.Zero), Hi: float32(hi) - float32(a.Zero), Offset: a.Zero - kernels.RoundingBits,
		})
	}
	return q, nil
}

// put quantizes the encoded numbers in raw and writes the integers to out. The first number has
// position at in the tensor.
func (q *quantizer) put(out, raw []byte, at int64) {
	q.channels.spans(at, len(out),
		func(channel int64, lo, hi int) {
			q.round.At(channel).Codes(out[lo:hi], raw[4*lo:4*hi])
		},
		func(first int64, lo, hi int) {
			q.round.Slice(first, first+int64(hi-lo)).CodesEach(out[lo:hi], raw[4*lo:4*hi])
		})
}
