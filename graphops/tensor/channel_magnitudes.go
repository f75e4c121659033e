package tensor

import (
	"cmp"
	"fmt"
	"io"
	"math"
)

// ChannelMagnitudes reads n numbers of type F16, BF16, F32 or F64 from src and returns the largest
// magnitude of each channel, or NaN if the channel contains NaN.
func ChannelMagnitudes(src io.Reader, d DType, n int64, g ChannelGroups, channels int64) ([]float64, error) {
	most := make([]uint64, channels)
	if err := raiseChannels(most, src, d, 0, n, g); err != nil {
		return nil, err
	}
	return magnitudesOf(most, d)
}

// halvesFrom is the number of elements from which it pays to read both halves concurrently.
const halvesFrom = 1 << 17

// ChannelMagnitudesIn is like ChannelMagnitudes for data with random access. open returns a reader
// of n numbers, starting at position at. If there are many numbers, the two halves of the data are
// read concurrently.
func ChannelMagnitudesIn(open func(at, n int64) io.Reader, d DType, n int64, g ChannelGroups, channels int64) ([]float64, error) {
	if n < halvesFrom {
		return ChannelMagnitudes(open(0, n), d, n, g, channels)
	}
	half, most, others := n/2, make([]uint64, channels), make([]uint64, channels)
	second := make(chan error, 1)
	go func() { second <- raiseChannels(others, open(half, n-half), d, half, n-half, g) }()
	err := raiseChannels(most, open(0, half), d, 0, half, g)
	if err = cmp.Or(err, <-second); err != nil {
		return nil, err
	}
	for i, o := range others {
		most[i] = max(most[i], o)
	}
	return magnitudesOf(most, d)
}

// raiseChannels updates the largest magnitude of each channel with n numbers from src. The first of
// them has position from in the tensor. Magnitudes are stored as bits, as in raise.
func raiseChannels(most []uint64, src io.Reader, d DType, from, n int64, g ChannelGroups) error {
	width := d.Bits() / 8
	return eachFloats(src, d, n, func(at int64, raw []byte) error {
		g.spans(from+at, len(raw)/width,
			func(channel int64, lo, hi int) { raise(&most[channel], d, raw[width*lo:width*hi]) },
			func(first int64, lo, hi int) {
				for i := lo; i < hi; i++ {
					raise(&most[first+int64(i-lo)], d, raw[width*i:width*(i+1)])
				}
			})
		return nil
	})
}

// raise updates the largest magnitude with the encoded numbers in raw. A magnitude is the bits of a
// number without the sign bit. Larger numbers have larger bits, and NaN has the largest ones.
func raise(to *uint64, d DType, raw []byte) {
	most := *to
	switch d.Bits() {
	case 16:
		for ; len(raw) >= 2; raw = raw[2:] {
			most = max(most, uint64(le.Uint16(raw)&math.MaxInt16))
		}
	case 32:
		var other uint64 // a second maximum, so that successive steps do not wait for each other
		for ; len(raw) >= 16; raw = raw[16:] {
			most = max(most, uint64(le.Uint32(raw)&math.MaxInt32))
			other = max(other, uint64(le.Uint32(raw[4:])&math.MaxInt32))
			most = max(most, uint64(le.Uint32(raw[8:])&math.MaxInt32))
			other = max(other, uint64(le.Uint32(raw[12:])&math.MaxInt32))
		}
		for most = max(most, other); len(raw) >= 4; raw = raw[4:] {
			most = max(most, uint64(le.Uint32(raw)&math.MaxInt32))
		}
	default:
		for ; len(raw) >= 8; raw = raw[8:] {
			most = max(most, le.Uint64(raw)&math.MaxInt64)
		}
	}
	*to = most
}

// magnitudesOf converts the bits from raise to numbers.
func magnitudesOf(codes []uint64, d DType) ([]float64, error) {
	out := make([]float64, len(codes))
	var code [8]byte
	for i, c := range codes {
		le.PutUint64(code[:], c)
		if err := decodeFloat64(out[i:i+1], d, code[:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CheckScaled returns an error if channels lose precision in type d when they are multiplied by the
// factors by, one for each channel. magnitudes are the largest magnitudes of the channels. A
// channel loses precision if its magnitude or its factor is not finite, if the product exceeds the
// range of the type, or if it is so small that even the largest number loses precision.
func CheckScaled(d DType, magnitudes, by []float64) error {
	for i, m := range magnitudes {
		switch f := math.Abs(by[i]); {
		case !IsFinite(m):
			return fmt.Errorf("channel %d contains %v", i, m)
		case !IsFinite(f):
			return fmt.Errorf("the factor of channel %d is %v", i, by[i])
		case m*f > d.largest():
			return fmt.Errorf("%v times %v in channel %d is beyond the range of %s", m, by[i], i, d)
		case m != 0 && f != 0 && m*f < d.smallestNormal():
			return fmt.Errorf("%v times %v in channel %d is too small for %s", m, by[i], i, d)
		}
	}
	return nil
}
