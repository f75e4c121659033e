package tensor

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
)

// ChannelGroups describes the channels of a tensor that consists of groups with channels of their
// own. An example are the weights of a grouped convolution. Each group has Size consecutive
// elements and Count channels. Element i belongs to channel i/Size·Count + i/Inner mod Count.
type ChannelGroups struct {
	Channels
	Size int64
}

// OneGroup returns the channels of a tensor of n elements without groups.
func OneGroup(c Channels, n int64) ChannelGroups { return ChannelGroups{c, n} }

// spans is Channels.spans for a tensor with groups.
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

// scaleChunk is the number of numbers that Scale and ChannelMagnitudes process at a time. It is so
// large that the cost of a write does not matter.
const scaleChunk = 16 * chunkNumbers

// firstChunk is the number of numbers that are read first. Callers that stop early read no more
// than this.
const firstChunk = 1024

// floatChunks are buffers for eachFloats. They are kept for later calls, because a model has many
// weights.
var floatChunks = sync.Pool{New: func() any { return new([8 * scaleChunk]byte) }}

// eachFloats calls f with successive parts of n floating-point numbers, still encoded, and the
// position of the first in each part. f must not keep the slice.
func eachFloats(src io.Reader, d DType, n int64, f func(at int64, raw []byte) error) error {
	switch d {
	case F16, BF16, F32, F64:
	default:
		return fmt.Errorf("elements of type %s cannot be scaled, expected f16, bf16, f32 or f64", d)
	}
	width := int64(d.Bits() / 8)
	chunk := floatChunks.Get().(*[8 * scaleChunk]byte)
	defer floatChunks.Put(chunk)
	for at := int64(0); at < n; {
		// The first chunks are small, because some callers stop after the first numbers.
		raw := chunk[:width*min(n-at, max(firstChunk, at), scaleChunk)]
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

// Scale reads n numbers of type F16, BF16, F32 or F64 from src. It multiplies each by the factor of
// its channel in by and writes the products to dst. A product is computed in float64 and rounded
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
			if err := decodeFloat64(xs, d, raw); err != nil {
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

// scaleFloat32 multiplies the encoded float32s in raw in place. The first of them has position at
// in the tensor.
func scaleFloat32(raw []byte, at int64, g ChannelGroups, by []float64) {
	g.spans(at, len(raw)/4,
		func(channel int64, lo, hi int) {
			f, part := by[channel], raw[4*lo:4*hi]
			for ; len(part) >= 16; part = part[16:] { // a loop iteration costs as much as a product
				timesFloat32(part, f)
				timesFloat32(part[4:], f)
				timesFloat32(part[8:], f)
				timesFloat32(part[12:], f)
			}
			for ; len(part) >= 4; part = part[4:] {
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
