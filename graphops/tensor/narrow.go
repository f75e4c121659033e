package tensor

import (
	"fmt"
	"io"
	"math"
)

// Narrowing describes a conversion of float32 to a 16-bit floating-point type. Magnitudes outside
// some bounds are first moved to the nearer bound. All numbers are then rounded to the nearest
// number of the type, with ties to even. NaN, 0 and infinities are preserved.
type Narrowing struct {
	To DType // F16 or BF16
	// MinPositive, if not 0, is the lower bound of magnitudes. Smaller numbers other than 0 are
	// raised to it.
	MinPositive float32
	// MaxFinite, if not 0, is the upper bound of magnitudes. Larger numbers other than infinities
	// are lowered to it.
	MaxFinite float32
}

// Narrowed counts the numbers that a Narrowing changes by more than rounding to 16 bits.
type Narrowed struct {
	Elements int64
	Raised   int64 // to MinPositive
	Lowered  int64 // to MaxFinite
	Vanished int64 // became 0
	Infinite int64 // became infinite
}

// Changed returns how many numbers changed by more than rounding.
func (n Narrowed) Changed() int64 { return n.Raised + n.Lowered + n.Vanished + n.Infinite }

// Write reads n float32s from src and writes them to dst as numbers of type To.
func (r Narrowing) Write(dst io.Writer, src io.Reader, n int64) error {
	if _, err := r.rounding(); err != nil {
		return err
	}
	out := make([]byte, 2*min(n, float32Chunk))
	return eachFloat32(src, n, func(_ int64, raw []byte) error {
		out := out[:len(raw)/2]
		err := sideBySide(len(raw)/4, parts(1), func(_, lo, hi int) error {
			r.put(out[2*lo:2*hi], raw[4*lo:4*hi])
			return nil
		})
		if err == nil {
			_, err = dst.Write(out)
		}
		return err
	})
}

// put converts the encoded numbers in raw and writes the results to out. Each type has its own
// loop, so that the compiler can inline the rounding.
func (r Narrowing) put(out, raw []byte) {
	b := r.bounds()
	if r.To == BF16 {
		for ; len(raw) >= 4 && len(out) >= 2; raw, out = raw[4:], out[2:] {
			le.PutUint16(out, roundBF16(b.move(le.Uint32(raw))))
		}
		return
	}
	for ; len(raw) >= 4 && len(out) >= 2; raw, out = raw[4:], out[2:] {
		le.PutUint16(out, roundF16(b.move(le.Uint32(raw))))
	}
}

// Count reads n float32s from src and counts the changes that Write would make.
func (r Narrowing) Count(src io.Reader, n int64) (Narrowed, error) {
	round, err := r.rounding()
	if err != nil {
		return Narrowed{}, err
	}
	found := Narrowed{Elements: n}
	infinity, bounds := round(bitsInfinity), r.bounds()
	err = eachFloat32(src, n, func(_ int64, raw []byte) error {
		for ; len(raw) >= 4; raw = raw[4:] {
			m := le.Uint32(raw) &^ bitSign
			if m-1 >= bitsInfinity-1 {
				continue // 0, infinite or NaN
			}
			switch b := bounds.move(m); {
			case b > m:
				found.Raised++
			case b < m:
				found.Lowered++
			default:
				switch round(m) {
				case 0:
					found.Vanished++
				case infinity:
					found.Infinite++
				}
			}
		}
		return nil
	})
	return found, err
}

// Clamp reads n float32s from src, moves them into the bounds, and writes them to dst as float32s.
// It does not round them to 16 bits.
func (r Narrowing) Clamp(dst io.Writer, src io.Reader, n int64) error {
	out, b := make([]byte, 4*min(n, float32Chunk)), r.bounds()
	return eachFloat32(src, n, func(_ int64, raw []byte) error {
		out := out[:len(raw)]
		for i := range len(raw) / 4 {
			le.PutUint32(out[4*i:], b.move(le.Uint32(raw[4*i:])))
		}
		_, err := dst.Write(out)
		return err
	})
}

// Parts of the bits of a float32.
const (
	bitSign      = 1 << 31
	bitsInfinity = 0xFF << 23
)

// bitBounds are the bounds of magnitudes, as bits of float32s.
type bitBounds struct{ least, most uint32 }

func (r Narrowing) bounds() bitBounds {
	b := bitBounds{math.Float32bits(r.MinPositive), bitsInfinity - 1}
	if r.MaxFinite != 0 {
		b.most = math.Float32bits(r.MaxFinite)
	}
	return b
}

// move returns the float32 with the bits x, moved to the nearer bound if its magnitude is outside
// of the bounds.
func (b bitBounds) move(x uint32) uint32 {
	m := x &^ bitSign
	if m-b.least <= b.most-b.least || m-1 >= bitsInfinity-1 {
		return x // within the bounds, or 0, infinite or NaN
	}
	if m > b.most {
		return x&bitSign | b.most
	}
	return x&bitSign | b.least
}

func (r Narrowing) rounding() (func(uint32) uint16, error) {
	switch r.To {
	case F16:
		return roundF16, nil
	case BF16:
		return roundBF16, nil
	}
	return nil, fmt.Errorf("float32 cannot be narrowed to %s, expected f16 or bf16", r.To)
}

// roundF16 rounds the float32 with the bits b to float16. A NaN keeps the upper bits of its
// payload. If these are all zero, which would mean infinity, the lowest bit is set, as in numpy.
func roundF16(b uint32) uint16 {
	const (
		rebias      = (127 - 15) << 23
		smallest    = (127 - 14) << 23 // the smallest normal number
		unbounded   = (127 + 16) << 23 // from here on, numbers do not round to a finite one
		halfAsFloat = 126 << 23        // 0.5, whose last bit is the unit of subnormals
	)
	sign, m := uint16(b>>16)&0x8000, b&^bitSign
	switch {
	case m > bitsInfinity:
		return sign | 0x7C00 | max(uint16(m>>13)&0x3FF, 1)
	case m >= unbounded:
		return sign | 0x7C00
	case m >= smallest:
		return sign | uint16((m-rebias+0xFFF+m>>13&1)>>13)
	}
	return sign | uint16(math.Float32bits(math.Float32frombits(m)+0.5)-halfAsFloat)
}

// roundBF16 rounds the float32 with the bits b to bfloat16. A NaN becomes the quiet NaN with the
// same sign.
func roundBF16(b uint32) uint16 {
	if b&^bitSign > bitsInfinity {
		return uint16(b>>16)&0x8000 | 0x7FC0
	}
	return uint16((b + 0x7FFF + b>>16&1) >> 16)
}
