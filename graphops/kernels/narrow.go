package kernels

import "math"

// Bounds limit magnitudes. They are bits of float32s.
type Bounds struct{ Least, Most uint32 }

// Move returns the float32 with the bits x, moved to the nearer bound if its magnitude is outside
// of the bounds. It does not move 0, infinities and NaN.
func (b Bounds) Move(x uint32) uint32 {
	m := x &^ Sign
	if m-b.Least <= b.Most-b.Least || m-1 >= Infinity-1 {
		return x // within the bounds, or 0, infinite or NaN
	}
	if m > b.Most {
		return x&Sign | b.Most
	}
	return x&Sign | b.Least
}

// Changes counts the finite numbers other than 0 that a conversion to 16 bits changes by more than
// rounding.
type Changes struct {
	Raised   int64 // moved to Bounds.Least
	Lowered  int64 // moved to Bounds.Most
	Vanished int64 // not moved, and rounded to 0
	Infinite int64 // not moved, and rounded to infinity
}

// Plus returns the sums.
func (c Changes) Plus(d Changes) Changes {
	return Changes{c.Raised + d.Raised, c.Lowered + d.Lowered, c.Vanished + d.Vanished, c.Infinite + d.Infinite}
}

// format describes how a 16-bit type rounds.
type format struct {
	round    func(uint32) uint16
	infinity uint16
	// vanishing is the largest magnitude that rounds to 0, and infinite the smallest one that rounds
	// to infinity, as bits of float32s.
	vanishing, infinite uint32
}

var (
	formatF16  = format{RoundF16, 0x7C00, 0x33000000, 0x477FF000}  // 2^-25, 65520
	formatBF16 = format{RoundBF16, 0x7F80, 0x00008000, 0x7F7F8000} // ties to even, at both ends
)

// Float16 converts each float32 in raw: it moves it into the bounds, rounds it as RoundF16 does, and
// writes it to out.
func Float16(out, raw []byte, b Bounds) Changes {
	t, fast := newTally(b, formatF16)
	if !fast {
		return formatF16.portable(out, raw, b)
	}
	var c Changes
	for len(raw) > 0 {
		done := float16Blocks(out, raw, t)
		out, raw = out[2*done:], raw[4*done:]
		// The next block has a NaN, or is not whole.
		n := min(len(raw), 4*narrowBlock)
		c = c.Plus(formatF16.portable(out, raw[:n], b))
		out, raw = out[n/2:], raw[n:]
	}
	return c.Plus(t.changes())
}

// Bfloat16 is Float16 for bfloat16.
func Bfloat16(out, raw []byte, b Bounds) Changes {
	t, fast := newTally(b, formatBF16)
	if !fast {
		return formatBF16.portable(out, raw, b)
	}
	done := bfloat16Blocks(out, raw, t)
	return formatBF16.portable(out[2*done:], raw[4*done:], b).Plus(t.changes())
}

func (f *format) portable(out, raw []byte, b Bounds) (c Changes) {
	for ; len(raw) >= 4 && len(out) >= 2; out, raw = out[2:], raw[4:] {
		x := le.Uint32(raw)
		y := b.Move(x)
		h := f.round(y)
		le.PutUint16(out, h)
		c.add(x, y, h, f.infinity)
	}
	return c
}

// CountFloat16 returns the changes that Float16 would make.
func CountFloat16(raw []byte, b Bounds) Changes { return count(raw, b, formatF16) }

// CountBfloat16 returns the changes that Bfloat16 would make.
func CountBfloat16(raw []byte, b Bounds) Changes { return count(raw, b, formatBF16) }

func count(raw []byte, b Bounds, f format) Changes {
	t, fast := newTally(b, f)
	if !fast {
		return portableCount(raw, b, f)
	}
	return portableCount(raw[4*countBlocks(raw, t):], b, f).Plus(t.changes())
}

func portableCount(raw []byte, b Bounds, f format) (c Changes) {
	for ; len(raw) >= 4; raw = raw[4:] {
		x := le.Uint32(raw)
		y := b.Move(x)
		c.add(x, y, f.round(y), f.infinity)
	}
	return c
}

// add counts the float32 x, which was moved to y and rounded to h.
func (c *Changes) add(x, y uint32, h, infinity uint16) {
	m := x &^ Sign
	switch h &= 0x7FFF; {
	case y != x && y&^Sign > m:
		c.Raised++
	case y != x:
		c.Lowered++
	case h == 0 && m != 0:
		c.Vanished++
	case h == infinity && m != Infinity:
		c.Infinite++
	}
}

// RoundF16 rounds the float32 with the bits b to float16, half to even. A NaN keeps the upper bits
// of its payload. If these are all zero, which would mean infinity, the lowest bit is set, as in
// numpy.
func RoundF16(b uint32) uint16 {
	const (
		rebias      = (127 - 15) << 23
		smallest    = (127 - 14) << 23 // the smallest normal number
		unbounded   = (127 + 16) << 23 // from here on, numbers do not round to a finite one
		halfAsFloat = 126 << 23        // 0.5, whose last bit is the unit of subnormals
	)
	sign, m := uint16(b>>16)&0x8000, b&^Sign
	switch {
	case m > Infinity:
		return sign | 0x7C00 | max(uint16(m>>13)&0x3FF, 1)
	case m >= unbounded:
		return sign | 0x7C00
	case m >= smallest:
		return sign | uint16((m-rebias+0xFFF+m>>13&1)>>13)
	}
	return sign | uint16(math.Float32bits(math.Float32frombits(m)+0.5)-halfAsFloat)
}

// RoundBF16 rounds the float32 with the bits b to bfloat16, half to even. A NaN becomes the quiet
// NaN with the same sign.
func RoundBF16(b uint32) uint16 {
	if b&^Sign > Infinity {
		return uint16(b>>16)&0x8000 | 0x7FC0
	}
	return uint16((b + 0x7FFF + b>>16&1) >> 16)
}
