package tensor

import (
	"fmt"
	"io"
	"math"
)

// Affine maps the integers of a quantized tensor to real numbers: real = Scale·(q−Zero).
type Affine struct {
	Scale float32
	Zero  int32
}

// AffineRule says how an Affine follows from a range.
type AffineRule struct {
	// of the integers: I8, U8, I16, U16, I4 or U4; F8E4M3FN gets its scale from a Spread
	Type      DType
	Symmetric bool // mirror the range at 0, so that 0 lies in the middle
	// Reduced leaves one bit unused, because kernels without VNNI instructions add two products in
	// 16 bits, which saturate if both factors use all their bits.
	Reduced bool
}

// codes returns the smallest and largest number to which a range is mapped, as in ONNX Runtime: a
// reduced range takes precedence over a symmetric one.
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

// Codes returns the smallest and largest number to which a range is mapped.
func (a AffineRule) Codes() (lo, hi float64, err error) { return a.codes() }

// smallestNormal is the smallest scale, 2^-126; a subnormal scale would have too little precision.
const smallestNormal = 0x1p-126

// Affine maps r to the integers of the rule, as ONNX Runtime's quantizer does (compute_scale_zp):
// the width is computed in float32, divided and rounded to a zero point in float64, and the scale
// is rounded to float32 at the end. A range too narrow for a scale maps everything to 0. If the
// width overflows in float32, it is computed in float64.
func (a AffineRule) Affine(r Range) (Affine, error) {
	lo, hi, err := a.codes()
	if err == nil && a.Type == F8E4M3FN {
		err = fmt.Errorf("the scale of %s follows from a spread, not from a range", a.Type)
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
// U16, I4 or U4 with the Affine of their channel: divided by the scale, rounded half to even,
// shifted by the zero point, and saturated. Of two integers in a byte the first has the low bits.
// For type F8E4M3FN, they are rounded to its numbers instead.
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
	out := make([]byte, min(n, float32Chunk))
	workers := parts(1) // the workers need no memory for channels
	return eachFloat32(src, n, func(at int64, raw []byte) error {
		out := out[:len(raw)/4]
		err := sideBySide(len(out), workers, func(_, lo, hi int) error {
			q.put(out[lo:hi], raw[4*lo:4*hi], at+int64(lo))
			return nil
		})
		if err == nil {
			_, err = dst.Write(out)
		}
		return err
	})
}

type quantizer struct {
	channels Channels
	round    []rounder // by channel
}

func newQuantizer(to DType, c Channels, by []Affine) (*quantizer, error) {
	lo, hi, err := AffineRule{Type: to}.codes()
	if err != nil {
		return nil, err
	}
	if int64(len(by)) != c.Count {
		return nil, fmt.Errorf("%d scales for %d channels", len(by), c.Count)
	}
	q := &quantizer{c, make([]rounder, len(by))}
	for i, a := range by {
		q.round[i] = rounder{a.Scale, float32(lo) - float32(a.Zero), float32(hi) - float32(a.Zero), a.Zero - roundingBits}
	}
	return q, nil
}

// put quantizes the encoded numbers in raw, the first of which is element at.
func (q *quantizer) put(out, raw []byte, at int64) {
	q.channels.spans(at, len(out),
		func(channel int64, lo, hi int) {
			q.round[channel].codes(out[lo:hi], raw[4*lo:4*hi])
		},
		func(first int64, lo, hi int) {
			for i, r := range q.round[first : first+int64(hi-lo)] {
				out[lo+i] = r.code(float32At(raw, lo+i))
			}
		})
}

// rounder converts numbers of one channel into integers.
type rounder struct {
	scale  float32
	lo, hi float32 // bounds of the integers, minus the zero point
	offset int32   // the zero point minus roundingBits
}

// Adding rounding to a float32 with a magnitude below 2^22 leaves no bits for a fraction: the
// addition rounds half to even, and the low bits of the sum are the integer. roundingBits is the
// value of these bits for 0.
const (
	rounding     float32 = 3 << 22
	roundingBits         = 0x4B400000
)

// codes writes the integers of the encoded numbers to out, four in each iteration, because the loop
// itself costs as much as one number.
func (r rounder) codes(out, raw []byte) {
	for ; len(out) >= 4 && len(raw) >= 16; out, raw = out[4:], raw[16:] {
		out[0] = r.code(math.Float32frombits(le.Uint32(raw)))
		out[1] = r.code(math.Float32frombits(le.Uint32(raw[4:])))
		out[2] = r.code(math.Float32frombits(le.Uint32(raw[8:])))
		out[3] = r.code(math.Float32frombits(le.Uint32(raw[12:])))
	}
	for i := range out {
		out[i] = r.code(float32At(raw, i))
	}
}

// code returns the integer for x as a byte. The bounds are integers, so that clipping before
// rounding gives the same result as after.
func (r rounder) code(x float32) byte { return byte(r.integer(x)) }

func (r rounder) integer(x float32) int32 {
	t := x / r.scale
	if t < r.lo {
		t = r.lo
	}
	if t > r.hi {
		t = r.hi
	}
	return int32(math.Float32bits(t+rounding)) + r.offset
}
