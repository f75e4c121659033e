package tensor

import "math"

// minifloat describes a floating-point format of at most 16 bits: a sign bit, a biased exponent,
// and the stored bits of a significand with a hidden leading one, as in IEEE 754.
type minifloat struct {
	bits     uint   // of a number, including the sign
	mantissa uint   // stored bits of the significand
	emin     int    // exponent of the smallest normal number
	max      uint16 // code of the largest finite number
	inf      uint16 // code of +Inf; 0 if the format has none
	nan      uint16 // code of NaN
	overflow uint16 // the code for numbers that round above max
	noMinus0 bool   // the code of -0 means NaN
}

// The formats of ONNX with at most 16 bits. In those of at most 8 bits, numbers above the range and
// infinities become the largest number, as in ONNX's Cast by default. In the 16-bit ones they
// become infinite. The formats of 6 and 4 bits have no NaN: it becomes their largest number, as in
// ONNX.
var (
	formatF16        = minifloat{bits: 16, mantissa: 10, emin: -14, max: 0x7BFF, inf: 0x7C00, nan: 0x7E00, overflow: 0x7C00}
	formatBF16       = minifloat{bits: 16, mantissa: 7, emin: -126, max: 0x7F7F, inf: 0x7F80, nan: 0x7FC0, overflow: 0x7F80}
	formatF8E4M3FN   = minifloat{bits: 8, mantissa: 3, emin: -6, max: 0x7E, nan: 0x7F, overflow: 0x7E}
	formatF8E4M3FNUZ = minifloat{bits: 8, mantissa: 3, emin: -7, max: 0x7F, nan: 0x80, overflow: 0x7F, noMinus0: true}
	formatF8E5M2     = minifloat{bits: 8, mantissa: 2, emin: -14, max: 0x7B, inf: 0x7C, nan: 0x7E, overflow: 0x7B}
	formatF8E5M2FNUZ = minifloat{bits: 8, mantissa: 2, emin: -15, max: 0x7F, nan: 0x80, overflow: 0x7F, noMinus0: true}
	formatF6E2M3     = minifloat{bits: 6, mantissa: 3, emin: 0, max: 0x1F, nan: 0x1F, overflow: 0x1F}
	formatF6E3M2     = minifloat{bits: 6, mantissa: 2, emin: -2, max: 0x1F, nan: 0x1F, overflow: 0x1F}
	formatF4E2M1     = minifloat{bits: 4, mantissa: 1, emin: 0, max: 0x7, nan: 0x7, overflow: 0x7}
)

func (f *minifloat) sign() uint16 { return 1 << (f.bits - 1) }

// decode returns the exact value of a code.
func (f *minifloat) decode(code uint16) float64 {
	sign := uint64(code&f.sign()) << (64 - f.bits)
	magnitude := code &^ f.sign()
	switch {
	case f.noMinus0 && code == f.nan, magnitude > f.max && magnitude != f.inf:
		return math.NaN()
	case magnitude > f.max:
		return math.Float64frombits(sign | 0x7FF<<52)
	}
	exponent := int(magnitude >> f.mantissa)
	fraction := uint64(magnitude & (1<<f.mantissa - 1))
	if exponent == 0 { // subnormal: no hidden bit
		unit := math.Float64frombits(uint64(f.emin-int(f.mantissa)+1023) << 52)
		return math.Copysign(float64(fraction)*unit, math.Float64frombits(sign))
	}
	return math.Float64frombits(sign | uint64(exponent+f.emin-1+1023)<<52 | fraction<<(52-f.mantissa))
}

// encode returns the code of the number nearest to x, with ties to even. It rounds directly from
// float64, because a conversion through float32 would round twice.
func (f *minifloat) encode(x float64) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b>>(64-f.bits)) & f.sign()
	if x != x {
		if f.noMinus0 || f.nan <= f.max {
			return f.nan
		}
		return sign | f.nan
	}
	magnitude := f.round(b &^ (1 << 63))
	if magnitude > f.max {
		magnitude = f.overflow
	}
	if magnitude == 0 && f.noMinus0 {
		return 0
	}
	return sign | magnitude
}

// round returns the code of the number nearest to a non-negative float64 with the bits b. For a
// number above the range it returns the first code above max. Codes of one sign have the same order
// as their values, so if rounding up carries out of the significand, the result is still the right
// code, with the next exponent.
func (f *minifloat) round(b uint64) uint16 {
	exponent := int(b>>52) - 1023
	if exponent < f.emin-int(f.mantissa)-1 { // below half of the smallest number
		return 0
	}
	significand := b&(1<<52-1) | 1<<52
	shift := 52 - f.mantissa
	biased := 0
	if exponent < f.emin {
		shift += uint(f.emin - exponent)
	} else {
		biased = exponent - f.emin // the hidden bit adds the missing one
	}
	if biased > 1<<f.bits {
		return f.max + 1
	}
	half := uint64(1)<<(shift-1) - 1
	rounded := (significand + half + significand>>shift&1) >> shift
	code := uint64(biased)<<f.mantissa + rounded
	return uint16(min(code, uint64(f.max)+1))
}

// table returns the values of all codes of a format of at most 8 bits.
func (f *minifloat) table() [256]float64 {
	var t [256]float64
	for c := range 1 << f.bits {
		t[c] = f.decode(uint16(c))
	}
	return t
}

// decodeF8E8M0 returns a power of two; the format has no sign and no zero, and 0xFF is NaN (OCP
// Microscaling Formats 1.0, section 5.4.1).
func decodeF8E8M0(code uint16) float64 {
	if code == 0xFF {
		return math.NaN()
	}
	return math.Ldexp(1, int(code)-127)
}

// encodeF8E8M0 rounds up to the next power of two and saturates, as Cast does by default; negative
// numbers and NaN become NaN.
func encodeF8E8M0(x float64) uint16 {
	switch {
	case x != x || x < 0:
		return 0xFF
	case x <= math.Ldexp(1, -127):
		return 0
	case x >= math.Ldexp(1, 127):
		return 0xFE
	}
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 { // an exact power of two
		exponent--
	}
	return uint16(exponent + 127)
}
