package onnxtext

import (
	"encoding/binary"
	"math"
	"strconv"

	"lathe/graphops/tensor"
)

// format says how numbers of an element type are written. Integers and floats of at least 32 bits
// are written as numbers. A smaller float is written as the integer with the same bits. Elements
// that share a byte are written as one number for each byte.
type format struct {
	size   int // of a number in bytes
	append func(dst, src []byte) (_ []byte, odd bool)
}

var formats = map[tensor.DType]format{
	tensor.F32: {4, appendBits32}, tensor.C64: {4, appendBits32},
	tensor.F64: {8, appendBits64}, tensor.C128: {8, appendBits64},
	tensor.I8:  {1, func(dst, src []byte) ([]byte, bool) { return appendInt(dst, int8(src[0])) }},
	tensor.I16: {2, func(dst, src []byte) ([]byte, bool) { return appendInt(dst, int16(binary.LittleEndian.Uint16(src))) }},
	tensor.I32: {4, func(dst, src []byte) ([]byte, bool) { return appendInt(dst, int32(binary.LittleEndian.Uint32(src))) }},
	tensor.I64: {8, func(dst, src []byte) ([]byte, bool) { return appendInt(dst, int64(binary.LittleEndian.Uint64(src))) }},
	tensor.U16: {2, appendUint16}, tensor.F16: {2, appendUint16}, tensor.BF16: {2, appendUint16},
	tensor.U32: {4, func(dst, src []byte) ([]byte, bool) { return appendInt(dst, binary.LittleEndian.Uint32(src)) }},
	tensor.U64: {8, func(dst, src []byte) ([]byte, bool) {
		return strconv.AppendUint(dst, binary.LittleEndian.Uint64(src), 10), false
	}},
	tensor.U8: {1, appendByte}, tensor.Bool: {1, appendByte},
	tensor.F8E4M3FN: {1, appendByte}, tensor.F8E4M3FNUZ: {1, appendByte}, tensor.F8E5M2: {1, appendByte},
	tensor.F8E5M2FNUZ: {1, appendByte}, tensor.F8E8M0: {1, appendByte},
	tensor.U4: {1, appendByte}, tensor.I4: {1, appendByte}, tensor.F4E2M1: {1, appendByte},
	tensor.U2: {1, appendByte}, tensor.I2: {1, appendByte},
}

func appendInt[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](dst []byte, v T) ([]byte, bool) {
	return strconv.AppendInt(dst, int64(v), 10), false
}

func appendByte(dst, src []byte) ([]byte, bool) { return appendInt(dst, src[0]) }

func appendUint16(dst, src []byte) ([]byte, bool) {
	return appendInt(dst, binary.LittleEndian.Uint16(src))
}

func appendBits32(dst, src []byte) ([]byte, bool) {
	return appendFloat32(dst, binary.LittleEndian.Uint32(src))
}

func appendBits64(dst, src []byte) ([]byte, bool) {
	b := binary.LittleEndian.Uint64(src)
	v := math.Float64frombits(b)
	if math.IsNaN(v) {
		return appendNaN(dst, b>>63 == 1), b&^(1<<63) != quietNaN64
	}
	return appendNumber(dst, v, 64), false
}

// The bits of the NaN that the word "nan" in a text means.
const (
	quietNaN32 = 0x7fc00000
	quietNaN64 = 0x7ff8000000000000
)

// appendFloat32 appends the float with the bits b. odd reports that it is a NaN with other bits
// than the one that "nan" means.
func appendFloat32(dst []byte, b uint32) (_ []byte, odd bool) {
	v := math.Float32frombits(b)
	if v != v {
		return appendNaN(dst, b>>31 == 1), b&^(1<<31) != quietNaN32
	}
	return appendNumber(dst, float64(v), 32), false
}

func appendNaN(dst []byte, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	return append(dst, "nan"...)
}

// appendNumber appends the shortest decimal number that reads back as v, with or without an
// exponent, whichever is shorter. An integer is written with all digits.
func appendNumber(dst []byte, v float64, width int) []byte {
	if math.IsInf(v, 0) {
		if v < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "inf"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, width)
	if dst[start] == '-' {
		start++
	}
	var room [24]byte
	digits, exponent := digitsOf(room[:0], dst[start:])
	switch {
	case fixedLength(exponent, len(digits)) > len(dst)-start:
		return dst
	case exponent >= len(digits):
		return strconv.AppendFloat(dst[:start], math.Abs(v), 'f', 0, width)
	default:
		return appendFixed(dst[:start], digits, exponent)
	}
}

// digitsOf splits a number such as 1.25e+3 into its digits and its exponent.
func digitsOf(digits, s []byte) (_ []byte, exponent int) {
	i := len(s) - 1
	for s[i] != 'e' {
		i--
	}
	for _, c := range s[i+2:] {
		exponent = 10*exponent + int(c-'0')
	}
	if s[i+1] == '-' {
		exponent = -exponent
	}
	digits = append(digits, s[0])
	if i > 1 {
		digits = append(digits, s[2:i]...)
	}
	return digits, exponent
}

// appendFixed appends a number without an exponent, given its digits and exponent. The point must
// be before or among the digits.
func appendFixed(dst, digits []byte, exponent int) []byte {
	if exponent < 0 {
		dst = append(dst, "0."...)
		for range -exponent - 1 {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:exponent+1]...)
	if exponent+1 == len(digits) {
		return dst
	}
	return append(append(dst, '.'), digits[exponent+1:]...)
}

// fixedLength returns the length of a number written without an exponent, given its exponent and
// the number of its digits.
func fixedLength(exponent, digits int) int {
	switch {
	case exponent < 0:
		return 1 - exponent + digits // "0." and zeros
	case exponent+1 >= digits:
		return exponent + 1
	default:
		return digits + 1
	}
}

func (p *printer) float32(v float32) {
	var odd bool
	p.buf, odd = appendFloat32(p.buf[:0], math.Float32bits(v))
	p.bytes(p.buf)
	if odd {
		p.lost("the payload of a NaN", "")
	}
}
