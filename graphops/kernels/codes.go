package kernels

import "math"

// Rounder converts numbers into integers: it divides them by Scale, limits the quotients to Lo and
// Hi, rounds them half to even, and adds the zero point. Lo and Hi are integers between -2^22 and
// 2^22, so that limiting a quotient before it is rounded has the same result as after.
type Rounder struct {
	Scale  float32
	Lo, Hi float32 // bounds of the integers, minus the zero point
	Offset int32   // the zero point minus RoundingBits
}

// rounding is a number that rounds a float32 with a magnitude below 2^22 when it is added. The sum
// has no bits left for a fraction, so the addition rounds half to even, and the low bits of the sum
// are the integer.
const rounding float32 = 3 << 22

// RoundingBits are what Offset makes up for.
const RoundingBits = 0x4B400000

// Integer returns the integer for x.
func (r Rounder) Integer(x float32) int32 {
	t := x / r.Scale
	if t < r.Lo {
		t = r.Lo
	}
	if t > r.Hi {
		t = r.Hi
	}
	return int32(math.Float32bits(t+rounding)) + r.Offset
}

// Codes writes the low byte of the integer for each float32 in raw to out.
func (r Rounder) Codes(out, raw []byte) {
	done := codesBlocks(out, raw, r)
	r.portableCodes(out[done:], raw[4*done:])
}

// portableCodes handles four numbers in each iteration, because the loop itself takes as much time
// as one number.
func (r Rounder) portableCodes(out, raw []byte) {
	for ; len(out) >= 4 && len(raw) >= 16; out, raw = out[4:], raw[16:] {
		out[0] = byte(r.Integer(math.Float32frombits(le.Uint32(raw))))
		out[1] = byte(r.Integer(math.Float32frombits(le.Uint32(raw[4:]))))
		out[2] = byte(r.Integer(math.Float32frombits(le.Uint32(raw[8:]))))
		out[3] = byte(r.Integer(math.Float32frombits(le.Uint32(raw[12:]))))
	}
	for i := range out {
		out[i] = byte(r.Integer(math.Float32frombits(le.Uint32(raw[4*i:]))))
	}
}

// Rounders are the Rounders of several channels, field by field.
type Rounders struct {
	Scale, Lo, Hi []float32
	Offset        []int32
}

// NewRounders returns n Rounders that are not set.
func NewRounders(n int) Rounders {
	floats := make([]float32, 3*n)
	return Rounders{floats[:n:n], floats[n : 2*n : 2*n], floats[2*n:], make([]int32, n)}
}

// Set sets Rounder i.
func (rs Rounders) Set(i int, r Rounder) {
	rs.Scale[i], rs.Lo[i], rs.Hi[i], rs.Offset[i] = r.Scale, r.Lo, r.Hi, r.Offset
}

// At returns Rounder i.
func (rs Rounders) At(i int64) Rounder { return Rounder{rs.Scale[i], rs.Lo[i], rs.Hi[i], rs.Offset[i]} }

// Slice returns the Rounders from lo on, up to hi.
func (rs Rounders) Slice(lo, hi int64) Rounders {
	return Rounders{rs.Scale[lo:hi], rs.Lo[lo:hi], rs.Hi[lo:hi], rs.Offset[lo:hi]}
}

// CodesEach is Rounder.Codes with a Rounder for each number. There must be as many as out has bytes.
func (rs Rounders) CodesEach(out, raw []byte) {
	for i := codesEachBlocks(out, raw, rs); i < len(out); i++ {
		out[i] = byte(rs.At(int64(i)).Integer(math.Float32frombits(le.Uint32(raw[4*i:]))))
	}
}
