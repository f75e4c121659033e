package tensor

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// ChannelGroups are channels of a tensor that falls into groups with channels of
// their own, as the weights of a grouped convolution do: of every Size elements, one
// after the other, Count channels. Element i belongs to channel
// i/Size·Count + i/Inner mod Count.
type ChannelGroups struct {
	Channels
	Size int64
}

// OneGroup are the channels of a tensor of n elements that has no groups.
func OneGroup(c Channels, n int64) ChannelGroups { return ChannelGroups{c, n} }

// spans cuts n elements, the first at position at, into pieces as Channels.spans
// does.
func (g ChannelGroups) spans(at int64, n int, run, row func(first int64, lo, hi int)) {
	for lo := 0; lo < n; {
		group, in := (at+int64(lo))/g.Size, (at+int64(lo))%g.Size
		hi := lo + int(min(g.Size-in, int64(n-lo)))
		base := group * g.Count
		g.Channels.spans(in, hi-lo,
			func(channel int64, l, h int) { run(base+channel, lo+l, lo+h) },
			func(first int64, l, h int) { row(base+first, lo+l, lo+h) })
		lo = hi
	}
}

// scaleChunk is how many numbers Scale and Magnitudes take at a time: a multiple of
// what fills whole bytes, and enough that writing them costs little.
const scaleChunk = 16 * chunkNumbers

// firstChunk is how many are looked at first.
const firstChunk = 1024

// eachFloats calls f with the next part of n numbers of a floating-point type, still
// encoded, and the position of its first.
func eachFloats(src io.Reader, d DType, n int64, f func(at int64, raw []byte) error) error {
	switch d {
	case F16, BF16, F32, F64:
	default:
		return fmt.Errorf("%s is no type that can be scaled, expected f16, bf16, f32 or f64", d)
	}
	width := int64(d.Bits() / 8)
	var raw []byte
	for at := int64(0); at < n; {
		// Who wants the beginning alone has no more made than that.
		if size := width * min(n-at, max(firstChunk, at), scaleChunk); size <= int64(cap(raw)) {
			raw = raw[:size]
		} else {
			raw = make([]byte, size)
		}
		if _, err := io.ReadFull(src, raw); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%d of the tensor's %d numbers are missing: %w", n-at, n, err)
		}
		if err := f(at, raw); err != nil {
			return err
		}
		at += int64(len(raw)) / width
	}
	return nil
}

// Scale reads n numbers of type F16, BF16, F32 or F64 from src and writes each to dst
// times the factor of its channel. The product is computed in float64 and rounded
// once.
func Scale(dst io.Writer, src io.Reader, d DType, n int64, g ChannelGroups, by []float64) error {
	var xs []float64
	if d != F32 {
		xs = make([]float64, min(n, scaleChunk))
	}
	return eachFloats(src, d, n, func(at int64, raw []byte) error {
		if d == F32 {
			scaleFloat32(raw, at, g, by)
		} else {
			xs := xs[:len(raw)*8/d.Bits()]
			if err := DecodeFloat64(xs, d, raw); err != nil {
				return err
			}
			scaleFloat64(xs, at, g, by)
			if err := EncodeFloat64(raw, d, xs); err != nil {
				return err
			}
		}
		_, err := dst.Write(raw)
		return err
	})
}

// scaleFloat32 multiplies encoded numbers in place.
func scaleFloat32(raw []byte, at int64, g ChannelGroups, by []float64) {
	g.spans(at, len(raw)/4,
		func(channel int64, lo, hi int) {
			f := by[channel]
			for part := raw[4*lo : 4*hi]; len(part) >= 4; part = part[4:] {
				timesFloat32(part, f)
			}
		},
		func(first int64, lo, hi int) {
			part := raw[4*lo : 4*hi]
			for _, f := range by[first : first+int64(hi-lo)] {
				timesFloat32(part, f)
				part = part[4:]
			}
		})
}

func timesFloat32(b []byte, f float64) {
	le.PutUint32(b, math.Float32bits(float32(float64(math.Float32frombits(le.Uint32(b)))*f)))
}

func scaleFloat64(xs []float64, at int64, g ChannelGroups, by []float64) {
	g.spans(at, len(xs),
		func(channel int64, lo, hi int) {
			f := by[channel]
			for i := lo; i < hi; i++ {
				xs[i] *= f
			}
		},
		func(first int64, lo, hi int) {
			for i, f := range by[first : first+int64(hi-lo)] {
				xs[lo+i] *= f
			}
		})
}

// ChannelMagnitudes reads n numbers of type F16, BF16, F32 or F64 from src and gives the
// largest magnitude of each of that many channels, NaN of one that holds NaN.
func ChannelMagnitudes(src io.Reader, d DType, n int64, g ChannelGroups, channels int64) ([]float64, error) {
	most := make([]uint64, channels)
	width := d.Bits() / 8
	err := eachFloats(src, d, n, func(at int64, raw []byte) error {
		g.spans(at, len(raw)/width,
			func(channel int64, lo, hi int) { raise(&most[channel], d, raw[width*lo:width*hi]) },
			func(first int64, lo, hi int) {
				for i := lo; i < hi; i++ {
					raise(&most[first+int64(i-lo)], d, raw[width*i:width*(i+1)])
				}
			})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return magnitudesOf(most, d)
}

// raise makes the code of a magnitude at least that of each number. Without its sign,
// the code of a larger number is larger, and that of NaN the largest.
func raise(to *uint64, d DType, raw []byte) {
	most := *to
	switch d.Bits() {
	case 16:
		for ; len(raw) >= 2; raw = raw[2:] {
			most = max(most, uint64(le.Uint16(raw)&math.MaxInt16))
		}
	case 32:
		for ; len(raw) >= 4; raw = raw[4:] {
			most = max(most, uint64(le.Uint32(raw)&math.MaxInt32))
		}
	default:
		for ; len(raw) >= 8; raw = raw[8:] {
			most = max(most, le.Uint64(raw)&math.MaxInt64)
		}
	}
	*to = most
}

// magnitudesOf decodes what raise gathered.
func magnitudesOf(codes []uint64, d DType) ([]float64, error) {
	out := make([]float64, len(codes))
	var code [8]byte
	for i, c := range codes {
		le.PutUint64(code[:], c)
		if err := DecodeFloat64(out[i:i+1], d, code[:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CheckScaled tells whether channels whose largest magnitudes are given keep their
// digits in type d when they are multiplied by the factors: the error is about the
// first that does not, because it is not finite, would be beyond the range of the
// type, or so small that its largest number would be rounded more coarsely than the
// type does.
func CheckScaled(d DType, magnitudes, by []float64) error {
	for i, m := range magnitudes {
		switch f := math.Abs(by[i]); {
		case !isFinite(m):
			return fmt.Errorf("channel %d holds %v", i, m)
		case !isFinite(f):
			return fmt.Errorf("the factor of channel %d is %v", i, by[i])
		case m*f > d.largest():
			return fmt.Errorf("%v times %v in channel %d is beyond the range of %s", m, by[i], i, d)
		case m != 0 && f != 0 && m*f < d.smallestNormal():
			return fmt.Errorf("%v times %v in channel %d is too small for %s", m, by[i], i, d)
		}
	}
	return nil
}
