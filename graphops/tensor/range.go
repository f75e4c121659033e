package tensor

import (
	"fmt"
	"io"
	"math"

	"lathe/graphops/kernels"
)

// Range is the smallest interval that contains 0 and all numbers of a tensor or channel.
type Range struct{ Min, Max float32 }

// Overflows reports whether the width of the range exceeds the range of float32. If mirrored is
// set, the range is first extended so that it is symmetric around 0.
func (r Range) Overflows(mirrored bool) bool {
	if mirrored {
		r = r.mirrored()
	}
	return math.IsInf(float64(r.Max-r.Min), 1)
}

// mirrored returns the smallest range that contains r and is symmetric around 0.
func (r Range) mirrored() Range {
	a := max(-r.Min, r.Max)
	return Range{-a, a}
}

// Widened returns the range with a width of at least least, by moving its upper end. With 0 it
// returns the range unchanged. The upper end is rounded to float32.
func (r Range) Widened(least float64) Range {
	if least > 0 {
		r.Max = max(r.Max, r.Min+float32(least))
	}
	return r
}

// NotFiniteError says that a tensor contains NaN or an infinity where only finite numbers are
// allowed.
type NotFiniteError struct {
	Index int64 // of the element, row-major
	Value float32
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("element %d is %v, expected a finite number", e.Index, e.Value)
}

// Ranges reads n float32s from src and returns the range of each channel. NaN or an infinity gives
// a NotFiniteError.
func Ranges(src io.Reader, n int64, c Channels) ([]Range, error) {
	count := workersFor(n)
	if c.Count >= manyChannels {
		count = 1
	}
	workers := make([]ranger, count)
	for i := range workers {
		workers[i] = ranger{c, make([]int32, c.Count), make([]uint32, c.Count)}
	}
	err := scanFloat32(src, n, count, func(worker int, at int64, raw []byte) error {
		return workers[worker].add(at, raw)
	})
	found := make([]Range, c.Count)
	for _, w := range workers {
		for i := range found {
			found[i] = found[i].and(w.rangeOf(i))
		}
	}
	return found, err
}

// and returns the range that contains both.
func (r Range) and(o Range) Range { return Range{min(r.Min, o.Min), max(r.Max, o.Max)} }

func float32At(raw []byte, i int) float32 { return math.Float32frombits(le.Uint32(raw[4*i:])) }

// ranger has the extremes of 0 and the numbers of each channel, as bits (see kernels.Extremes).
type ranger struct {
	channels Channels
	most     []int32
	least    []uint32
}

func (r *ranger) add(at int64, raw []byte) error {
	finite := true
	r.channels.spans(at, len(raw)/4,
		func(channel int64, lo, hi int) {
			most, least := kernels.Extremes(raw[4*lo:4*hi], r.most[channel], r.least[channel])
			r.most[channel], r.least[channel] = most, least
			finite = finite && most < kernels.Infinity && least < kernels.Sign|kernels.Infinity
		},
		func(first int64, lo, hi int) {
			last := first + int64(hi-lo)
			finite = kernels.ExtremesEach(r.most[first:last], r.least[first:last], raw[4*lo:4*hi]) && finite
		})
	if finite {
		return nil
	}
	i := firstNotFinite(raw)
	return &NotFiniteError{at + int64(i), float32At(raw, i)}
}

func (r *ranger) rangeOf(channel int) Range {
	out := Range{Max: math.Float32frombits(uint32(r.most[channel]))}
	if least := r.least[channel]; least > kernels.Sign { // the bits of -0
		out.Min = math.Float32frombits(least)
	}
	return out
}

// firstNotFinite returns the position of the first float32 whose exponent has all bits set, or -1.
func firstNotFinite(raw []byte) int {
	for i := 0; i+4 <= len(raw); i += 4 {
		if le.Uint32(raw[i:])&kernels.Infinity == kernels.Infinity {
			return i / 4
		}
	}
	return -1
}
