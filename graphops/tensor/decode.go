package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
)

var le = binary.LittleEndian

var (
	valuesF8E4M3FN   = formatF8E4M3FN.table()
	valuesF8E4M3FNUZ = formatF8E4M3FNUZ.table()
	valuesF8E5M2     = formatF8E5M2.table()
	valuesF8E5M2FNUZ = formatF8E5M2FNUZ.table()
	valuesF6E2M3     = formatF6E2M3.table()
	valuesF6E3M2     = formatF6E3M2.table()
	valuesF4E2M1     = formatF4E2M1.table()
)

// Components returns how many numbers an element consists of: 2 for complex types (real part
// first), otherwise 1.
func (d DType) Components() int {
	if d.Kind() == KindComplex {
		return 2
	}
	return 1
}

// decodeFloat64 decodes len(dst) numbers from the start of src. A complex element gives two
// numbers, and a bool 0 or 1; integers above 2^53 are rounded to the nearest float64. Elements
// smaller than a byte start at a byte boundary. Strings, unknown types and a src that is too short
// are errors.
func decodeFloat64(dst []float64, d DType, src []byte) error {
	if err := checkRoom(d, len(dst), len(src)); err != nil {
		return err
	}
	switch d.Kind() {
	case KindFloat, KindComplex:
		decodeFloats(dst, d, src)
	default:
		decodeInts(dst, d, src)
	}
	return nil
}

// decodeInt64 decodes len(dst) integers or bools from the start of src. A u64 above 2^63-1 keeps
// its bits and becomes negative. Other types and a src that is too short are errors.
func decodeInt64(dst []int64, d DType, src []byte) error {
	if !d.isInteger() {
		return fmt.Errorf("%s is not an integer type", d)
	}
	if err := checkRoom(d, len(dst), len(src)); err != nil {
		return err
	}
	decodeInts(dst, d, src)
	return nil
}

// isInteger reports whether all values of the type are integers; bool counts.
func (d DType) isInteger() bool {
	switch d.Kind() {
	case KindSigned, KindUnsigned, KindBool:
		return true
	}
	return false
}

// checkRoom returns an error unless numbers is a whole number of elements of type d that fit into
// size bytes.
func checkRoom(d DType, numbers, size int) error {
	components := d.Components()
	if numbers%components != 0 {
		return fmt.Errorf("%d numbers are not a whole number of elements of type %s", numbers, d)
	}
	want, err := d.ByteLen(int64(numbers / components))
	if err != nil {
		return err
	}
	if int64(size) < want {
		return fmt.Errorf("%d elements of type %s take %d bytes, got %d", numbers/components, d, want, size)
	}
	return nil
}

// decodeFloats decodes floating-point and complex types; src must be long enough.
func decodeFloats(dst []float64, d DType, src []byte) {
	switch d {
	case F32, C64:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(le.Uint32(src[4*i:])))
		}
	case F64, C128:
		for i := range dst {
			dst[i] = math.Float64frombits(le.Uint64(src[8*i:]))
		}
	case BF16: // the upper half of a float32
		for i := range dst {
			dst[i] = float64(math.Float32frombits(uint32(le.Uint16(src[2*i:])) << 16))
		}
	case F16:
		for i := range dst {
			dst[i] = decodeF16(le.Uint16(src[2*i:]))
		}
	case F8E4M3FN:
		lookUp(dst, src, &valuesF8E4M3FN)
	case F8E4M3FNUZ:
		lookUp(dst, src, &valuesF8E4M3FNUZ)
	case F8E5M2:
		lookUp(dst, src, &valuesF8E5M2)
	case F8E5M2FNUZ:
		lookUp(dst, src, &valuesF8E5M2FNUZ)
	case F8E8M0:
		for i := range dst {
			dst[i] = decodeF8E8M0(uint16(src[i]))
		}
	case F6E2M3:
		lookUpPacked(dst, src, 6, &valuesF6E2M3)
	case F6E3M2:
		lookUpPacked(dst, src, 6, &valuesF6E3M2)
	case F4E2M1:
		lookUpPacked(dst, src, 4, &valuesF4E2M1)
	}
}

func lookUp(dst []float64, src []byte, values *[256]float64) {
	for i := range dst {
		dst[i] = values[src[i]]
	}
}

func lookUpPacked(dst []float64, src []byte, width int, values *[256]float64) {
	for i := range dst {
		dst[i] = values[unpack(src, i, width)]
	}
}

// decodeInts decodes integers and bools; src must be long enough.
func decodeInts[N int64 | float64](dst []N, d DType, src []byte) {
	switch d {
	case U8:
		for i := range dst {
			dst[i] = N(src[i])
		}
	case I8:
		for i := range dst {
			dst[i] = N(int8(src[i]))
		}
	case U16:
		for i := range dst {
			dst[i] = N(le.Uint16(src[2*i:]))
		}
	case I16:
		for i := range dst {
			dst[i] = N(int16(le.Uint16(src[2*i:])))
		}
	case U32:
		for i := range dst {
			dst[i] = N(le.Uint32(src[4*i:]))
		}
	case I32:
		for i := range dst {
			dst[i] = N(int32(le.Uint32(src[4*i:])))
		}
	case U64:
		for i := range dst {
			dst[i] = N(le.Uint64(src[8*i:]))
		}
	case I64:
		for i := range dst {
			dst[i] = N(int64(le.Uint64(src[8*i:])))
		}
	case Bool:
		for i := range dst {
			dst[i] = N(min(src[i], 1)) // any set bit means true
		}
	default:
		decodePacked(dst, d, src)
	}
}

// decodeF16 decodes a float16. For a normal number it only has to adjust the exponent, which is
// fast. Other numbers are rare.
func decodeF16(code uint16) float64 {
	if magnitude := code & 0x7FFF; magnitude-0x400 < 0x7C00-0x400 {
		return math.Float64frombits(uint64(code>>15)<<63 | uint64(magnitude)<<42 + (1023-15)<<52)
	}
	return formatF16.decode(code)
}

// decodePacked decodes 4-bit and 2-bit integers.
func decodePacked[N int64 | float64](dst []N, d DType, src []byte) {
	width := d.Bits()
	spare := 8 - width
	for i := range dst {
		code := unpack(src, i, width)
		if d.Kind() == KindSigned {
			dst[i] = N(int8(code<<spare) >> spare) // shifts the sign bit to the top and back
		} else {
			dst[i] = N(code)
		}
	}
}

// unpack returns the element at index i of elements that are smaller than a byte. The first element
// is in the low bits of the first byte.
func unpack(src []byte, i, width int) byte { return codeAt(src, i*width, width) }

// codeAt returns the element that starts at the given bit of src and has width bits, fewer than 8.
// A 6-bit element can extend over two bytes.
func codeAt(src []byte, bit, width int) byte {
	code := uint16(src[bit/8])
	if bit%8+width > 8 {
		code |= uint16(src[bit/8+1]) << 8
	}
	return byte(code>>(bit%8)) & (1<<width - 1)
}
