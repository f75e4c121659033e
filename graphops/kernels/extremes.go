package kernels

import "encoding/binary"

var le = binary.LittleEndian

// Parts of the bits of a float32.
const (
	// Sign is the sign bit.
	Sign = 1 << 31
	// Infinity are the bits of +Inf. NaN have larger magnitudes, all other numbers smaller ones.
	Infinity = 0xFF << 23
)

// Extremes returns the extremes of float32s as bits, starting from those given. most is the largest
// number: compared as int32, the bits of positive numbers have the order of the numbers. least is
// the smallest number: compared as uint32, the bits of a smaller negative number are larger. The
// bits of infinities and NaN are larger than those of finite numbers in both cases.
func Extremes(raw []byte, most int32, least uint32) (int32, uint32) {
	done, most, least := extremesBlocks(raw, most, least)
	return portableExtremes(raw[4*done:], most, least)
}

// portableExtremes updates two pairs of extremes in turn, so that one step need not wait for the
// previous one.
func portableExtremes(raw []byte, most int32, least uint32) (int32, uint32) {
	most2, least2 := most, least
	for ; len(raw) >= 16; raw = raw[16:] {
		a, b := le.Uint32(raw), le.Uint32(raw[4:])
		most, least = max(most, int32(a)), max(least, a)
		most2, least2 = max(most2, int32(b)), max(least2, b)
		a, b = le.Uint32(raw[8:]), le.Uint32(raw[12:])
		most, least = max(most, int32(a)), max(least, a)
		most2, least2 = max(most2, int32(b)), max(least2, b)
	}
	for ; len(raw) >= 4; raw = raw[4:] {
		bits := le.Uint32(raw)
		most, least = max(most, int32(bits)), max(least, bits)
	}
	return max(most, most2), max(least, least2)
}

// ExtremesEach extends each pair of extremes in most and least, as Extremes does, by one of the
// float32s in raw. There must be equally many of each. It reports whether all these float32s are
// finite.
func ExtremesEach(most []int32, least []uint32, raw []byte) (finite bool) {
	done, magnitude := extremesEachBlocks(most, least, raw)
	return max(magnitude, portableExtremesEach(most[done:], least[done:], raw[4*done:])) < Infinity
}

// portableExtremesEach returns the bits of the largest magnitude.
func portableExtremesEach(most []int32, least []uint32, raw []byte) uint32 {
	magnitude := uint32(0)
	least = least[:len(most)]
	for i := range most {
		bits := le.Uint32(raw[4*i:])
		most[i], least[i] = max(most[i], int32(bits)), max(least[i], bits)
		magnitude = max(magnitude, bits&^Sign)
	}
	return magnitude
}
