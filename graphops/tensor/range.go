package tensor

import (
	"errors"
	"fmt"
	"io"
	"math"
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
	workers := make([]ranger, parts(c.Count))
	for i := range workers {
		workers[i] = ranger{channels: c, found: make([]span32, c.Count)}
	}
	err := eachFloat32(src, n, func(at int64, raw []byte) error {
		return sideBySide(len(raw)/4, len(workers), func(part, lo, hi int) error {
			return workers[part].add(at+int64(lo), raw[4*lo:4*hi])
		})
	})
	found := make([]Range, c.Count)
	for _, w := range workers {
		for i, e := range w.found {
			found[i] = found[i].and(e.rangeOf())
		}
	}
	return found, err
}

// and returns the range that contains both.
func (r Range) and(o Range) Range { return Range{min(r.Min, o.Min), max(r.Max, o.Max)} }

// eachFloat32 calls f with successive parts of n float32s, still encoded, and the position of the
// first in each part.
func eachFloat32(src io.Reader, n int64, f func(at int64, raw []byte) error) error {
	raw := make([]byte, 4*min(n, float32Chunk))
	for at := int64(0); at < n; {
		raw = raw[:min(int64(len(raw)), 4*(n-at))]
		if _, err := io.ReadFull(src, raw); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%d of the tensor's %d numbers are missing: %w", n-at, n, err)
		}
		if err := f(at, raw); err != nil {
			return err
		}
		at += int64(len(raw) / 4)
	}
	return nil
}

func float32At(raw []byte, i int) float32 { return math.Float32frombits(le.Uint32(raw[4*i:])) }

type ranger struct {
	channels Channels
	found    []span32
}

func (r *ranger) add(at int64, raw []byte) error {
	finite := true
	r.channels.spans(at, len(raw)/4,
		func(channel int64, lo, hi int) {
			e := &r.found[channel]
			e.widen(raw[4*lo : 4*hi])
			finite = finite && e.finite()
		},
		func(first int64, lo, hi int) {
			finite = widenEach(r.found[first:first+int64(hi-lo)], raw[4*lo:4*hi]) && finite
		})
	if finite {
		return nil
	}
	i := firstNotFinite(raw)
	return &NotFiniteError{at + int64(i), float32At(raw, i)}
}

// span32 has the extremes of 0 and some float32s, as bits. most is the largest number: compared as
// int32, the bits of positive numbers have the order of the numbers. least is the smallest number:
// compared as uint32, the bits of a smaller negative number are larger. The bits of infinities and
// NaN are larger than those of finite numbers in both cases.
type span32 struct {
	most  int32
	least uint32
}

const (
	infinity  = 0xFF << 23
	signBit32 = 1 << 31
)

func (e *span32) finite() bool { return e.most < infinity && e.least < signBit32|infinity }

func (e *span32) rangeOf() Range {
	r := Range{Max: math.Float32frombits(uint32(e.most))}
	if e.least > signBit32 { // the bits of -0
		r.Min = math.Float32frombits(e.least)
	}
	return r
}

func (e *span32) put(bits uint32) {
	e.most, e.least = max(e.most, int32(bits)), max(e.least, bits)
}

// widen extends the span to the encoded numbers in raw. It updates two pairs of extremes in turn,
// so that one step need not wait for the previous one. The pairs are local variables, so that the
// compiler keeps them in registers.
func (e *span32) widen(raw []byte) {
	most, least := e.most, e.least
	most2, least2 := most, least
	for ; len(raw) >= 16; raw = raw[16:] {
		a, b := le.Uint32(raw), le.Uint32(raw[4:])
		most, least = max(most, int32(a)), max(least, a)
		most2, least2 = max(most2, int32(b)), max(least2, b)
		a, b = le.Uint32(raw[8:]), le.Uint32(raw[12:])
		most, least = max(most, int32(a)), max(least, a)
		most2, least2 = max(most2, int32(b)), max(least2, b)
	}
	*e = span32{max(most, most2), max(least, least2)}
	for ; len(raw) >= 4; raw = raw[4:] {
		e.put(le.Uint32(raw))
	}
}

// widenEach extends each of the spans es to one of the encoded numbers in raw. It reports whether
// all numbers are finite.
func widenEach(es []span32, raw []byte) bool {
	all := span32{}
	for i := range es {
		bits := le.Uint32(raw[4*i:])
		es[i].put(bits)
		all.put(bits)
	}
	return all.finite()
}

// firstNotFinite returns the position of the first float32 whose exponent has all bits set, or -1.
func firstNotFinite(raw []byte) int {
	for i := 0; i+4 <= len(raw); i += 4 {
		if le.Uint32(raw[i:])&infinity == infinity {
			return i / 4
		}
	}
	return -1
}
