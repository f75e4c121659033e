package tensor

import (
	"fmt"
	"math"
)

// EncodeFloat64 encodes src as type d at the start of dst. It is the inverse of decodeFloat64.
//
// For floating-point types it rounds once to the nearest number, with ties to even. Numbers outside
// the range become infinite for f32, f16, bf16 and complex types. For f8 and f4 types, these
// numbers and infinities become the largest number, as in ONNX's Cast by default. For f8e8m0 it
// rounds up to a power of two. For integer types it rounds half to even and saturates, and NaN
// becomes 0. As a bool, everything except zero is true.
func EncodeFloat64(dst []byte, d DType, src []float64) error {
	if err := checkRoom(d, len(src), len(dst)); err != nil {
		return err
	}
	switch d.Kind() {
	case KindFloat, KindComplex:
		encodeFloats(dst, d, src)
	case KindBool:
		for i, x := range src {
			dst[i] = 0
			if x != 0 {
				dst[i] = 1
			}
		}
	default:
		lo, hi := d.intRange()
		for i, x := range src {
			putInt(dst, d, i, roundInt(x, d, lo, hi))
		}
	}
	return nil
}

// encodeInt64 encodes src as the integer type d at the start of dst, the inverse of decodeInt64: a
// u64 gets the same bits. A number outside the type's range is an error; as a bool, everything
// except 0 is true.
func encodeInt64(dst []byte, d DType, src []int64) error {
	if !d.isInteger() {
		return fmt.Errorf("%s is not an integer type", d)
	}
	if err := checkRoom(d, len(src), len(dst)); err != nil {
		return err
	}
	lo, hi := d.intRange()
	for i, x := range src {
		switch {
		case d == Bool && x != 0:
			x = 1
		case d != U64 && (x < lo || x > hi):
			return fmt.Errorf("%d at element %d is outside the range of %s, %d to %d", x, i, d, lo, hi)
		}
		putInt(dst, d, i, x)
	}
	return nil
}

// intRange returns the smallest and the largest value of an integer type. For u64, hi is the
// largest int64.
func (d DType) intRange() (lo, hi int64) {
	bits := d.Bits()
	switch {
	case d == Bool:
		return 0, 1
	case d.Kind() == KindSigned:
		return -1 << (bits - 1), 1<<(bits-1) - 1
	case bits == 64:
		return 0, math.MaxInt64
	}
	return 0, 1<<bits - 1
}

// roundInt rounds x half to even and saturates it to the range of d, which is lo to hi. A u64 above
// the range of int64 is returned as the int64 with the same bits. NaN becomes 0.
func roundInt(x float64, d DType, lo, hi int64) int64 {
	x = math.RoundToEven(x)
	switch {
	case x != x:
		return 0
	case x <= float64(lo):
		return lo
	case d == U64 && x >= 1<<64:
		return -1 // all bits set
	case d == U64:
		return int64(uint64(x))
	case x >= float64(hi):
		return hi
	}
	return int64(x)
}

// putInt encodes x as element i of dst. Only the low bits of x are used.
func putInt(dst []byte, d DType, i int, x int64) {
	switch width := d.Bits(); width {
	case 8:
		dst[i] = byte(x)
	case 16:
		le.PutUint16(dst[2*i:], uint16(x))
	case 32:
		le.PutUint32(dst[4*i:], uint32(x))
	case 64:
		le.PutUint64(dst[8*i:], uint64(x))
	default:
		pack(dst, i, width, byte(x))
	}
}

// pack writes code as element i of elements that are smaller than a byte. The first element of a
// byte clears the rest of the byte, so that padding is zero.
func pack(dst []byte, i, width int, code byte) {
	bit := i * width
	if bit%8 == 0 {
		dst[bit/8] = 0
	}
	code &= 1<<width - 1
	dst[bit/8] |= code << (bit % 8)
	if over := bit%8 + width - 8; over > 0 {
		dst[bit/8+1] = code >> (width - over)
	}
}

// encodeFloats encodes floating-point and complex types; dst must be long enough.
func encodeFloats(dst []byte, d DType, src []float64) {
	switch d {
	case F32, C64:
		for i, x := range src {
			le.PutUint32(dst[4*i:], math.Float32bits(float32(x)))
		}
	case F64, C128:
		for i, x := range src {
			le.PutUint64(dst[8*i:], math.Float64bits(x))
		}
	case F16:
		putCodes16(dst, &formatF16, src)
	case BF16:
		putCodes16(dst, &formatBF16, src)
	case F8E4M3FN:
		putCodes8(dst, formatF8E4M3FN.encode, src)
	case F8E4M3FNUZ:
		putCodes8(dst, formatF8E4M3FNUZ.encode, src)
	case F8E5M2:
		putCodes8(dst, formatF8E5M2.encode, src)
	case F8E5M2FNUZ:
		putCodes8(dst, formatF8E5M2FNUZ.encode, src)
	case F8E8M0:
		putCodes8(dst, encodeF8E8M0, src)
	case F6E2M3:
		packCodes(dst, 6, &formatF6E2M3, src)
	case F6E3M2:
		packCodes(dst, 6, &formatF6E3M2, src)
	case F4E2M1:
		packCodes(dst, 4, &formatF4E2M1, src)
	}
}

func putCodes16(dst []byte, f *minifloat, src []float64) {
	for i, x := range src {
		le.PutUint16(dst[2*i:], f.encode(x))
	}
}

func packCodes(dst []byte, width int, f *minifloat, src []float64) {
	for i, x := range src {
		pack(dst, i, width, byte(f.encode(x)))
	}
}

func putCodes8(dst []byte, encode func(float64) uint16, src []float64) {
	for i, x := range src {
		dst[i] = byte(encode(x))
	}
}

// Round returns the number of the floating-point type d that is nearest to x, with ties to even. An
// operation of that type whose exact result is x returns this number. For other types Round returns
// x.
func (d DType) Round(x float64) float64 {
	switch d {
	case F32:
		return float64(float32(x))
	case F16:
		return decodeF16(formatF16.encode(x))
	case BF16:
		return formatBF16.decode(formatBF16.encode(x))
	}
	return x
}
