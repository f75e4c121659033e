package tensor

import "math/bits"

// ULP has the distances of the finite pairs of two tensors in units in the last place. The distance
// of a pair is the number of steps from one number to the other, where a step goes to the next
// number of the type. 0 and -0 are the same number, so the smallest positive and the smallest
// negative number are two steps apart.
type ULP struct {
	Max  uint64
	Mean float64
	// Median and P99 are bounds that the distances of half, and of 99 %, of the pairs do not
	// exceed. They are rounded up to one of 0, 1, 3, 7, 15 and so on.
	Median, P99 uint64
}

// ulps collects a ULP. Pairs of equal numbers need not be added.
type ulps struct {
	bits    int // of a number
	finite  uint64
	largest uint64
	total   sum
	lengths [65]int64 // numbers of distances other than 0, by their length in bits
}

// newULPs returns nil for a type without a ULP, such as an integer type.
func newULPs(d DType) *ulps {
	switch d {
	case F16:
		return &ulps{bits: 16, finite: 0x7BFF}
	case BF16:
		return &ulps{bits: 16, finite: 0x7F7F}
	case F32, C64:
		return &ulps{bits: 32, finite: 0x7F7F_FFFF}
	case F64, C128:
		return &ulps{bits: 64, finite: 0x7FEF_FFFF_FFFF_FFFF}
	}
	return nil
}

// add adds pairs of numbers, which are encoded in a and b.
func (u *ulps) add(a, b []byte) {
	switch u.bits {
	case 16:
		for i := 0; i+2 <= len(a) && i+2 <= len(b); i += 2 {
			x, y := uint64(le.Uint16(a[i:])), uint64(le.Uint16(b[i:]))
			if x != y {
				u.pair(x, y, 1<<15)
			}
		}
	case 32:
		u.add32(a, b)
	case 64:
		for i := 0; i+8 <= len(a) && i+8 <= len(b); i += 8 {
			x, y := le.Uint64(a[i:]), le.Uint64(b[i:])
			if x != y {
				u.pair(x, y, 1<<63)
			}
		}
	}
}

// add32 is a faster version of pair for 32-bit types, which are the most frequent. It keeps the
// state in local variables.
func (u *ulps) add32(a, b []byte) {
	const magnitude, finite = 1<<31 - 1, 0x7F7F_FFFF
	largest, total := int64(0), int64(0) // cannot overflow: a chunk of distances below 2^32
	for i := 0; i+4 <= len(a) && i+4 <= len(b); i += 4 {
		x, y := int64(int32(le.Uint32(a[i:]))), int64(int32(le.Uint32(b[i:])))
		p, q := x&magnitude, y&magnitude
		if x == y || p > finite || q > finite {
			continue
		}
		// apply the sign, so that the distance between numbers of different signs is right
		p, q = (p^x>>63)-x>>63, (q^y>>63)-y>>63
		d := p - q
		d = (d ^ d>>63) - d>>63
		largest = max(largest, d)
		total += d
		u.lengths[bits.Len64(uint64(d))]++
	}
	u.largest = max(u.largest, uint64(largest))
	u.total.add(float64(total))
}

// pair adds a pair of numbers, given by their bits: a sign bit and a magnitude.
func (u *ulps) pair(x, y, sign uint64) {
	p, q := x&(sign-1), y&(sign-1)
	if p > u.finite || q > u.finite {
		return
	}
	d := max(p, q) - min(p, q)
	if (x^y)&sign != 0 {
		d = p + q
	}
	u.largest = max(u.largest, d)
	u.total.add(float64(d))
	u.lengths[bits.Len64(d)]++
}

// report returns the result. finite is the number of finite pairs, including those that were not
// added.
func (u *ulps) report(finite int64) *ULP {
	out := &ULP{Max: u.largest}
	if finite == 0 {
		return out
	}
	out.Mean = u.total.value() / float64(finite)
	u.lengths[0] = finite // including pairs of zeros with different signs
	for _, n := range u.lengths[1:] {
		u.lengths[0] -= n
	}
	out.Median, out.P99 = u.quantile(finite-finite/2), u.quantile(finite-finite/100)
	return out
}

// quantile returns a bound that the distances of the given number of pairs do not exceed.
func (u *ulps) quantile(pairs int64) uint64 {
	for length, n := range u.lengths {
		if pairs -= n; pairs <= 0 {
			return 1<<length - 1
		}
	}
	return u.largest
}
