package tensor

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Range is the smallest interval that holds some numbers and 0.
type Range struct{ Min, Max float32 }

// Overflows reports whether the width of the range, or of the one mirrored at
// 0, is beyond float32.
func (r Range) Overflows(mirrored bool) bool {
	if mirrored {
		r = r.mirrored()
	}
	return math.IsInf(float64(r.Max-r.Min), 1)
}

// mirrored is the smallest range around r that is symmetric to 0.
func (r Range) mirrored() Range {
	a := max(-r.Min, r.Max)
	return Range{-a, a}
}

// NotFiniteError says that a tensor holds NaN or an infinity where only numbers
// make sense.
type NotFiniteError struct {
	Index int64 // of the element, row-major
	Value float32
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("element %d is %v, expected a finite number", e.Index, e.Value)
}

// Ranges reads n float32s from src and gives the range of every channel. What
// is not finite is a NotFiniteError.
func Ranges(src io.Reader, n int64, c Channels) ([]Range, error) {
	r := ranger{channels: c, found: make([]Range, c.Count)}
	err := eachFloat32(src, n, r.add)
	return r.found, err
}

// eachFloat32 calls f with the next part of n float32s, still encoded, and the
// position of its first.
func eachFloat32(src io.Reader, n int64, f func(at int64, raw []byte) error) error {
	raw := make([]byte, 4*min(n, 4*chunkNumbers))
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
	found    []Range
}

func (r *ranger) add(at int64, raw []byte) error {
	if i := firstNotFinite(raw); i >= 0 {
		return &NotFiniteError{at + int64(i), float32At(raw, i)}
	}
	r.channels.spans(at, len(raw)/4,
		func(channel int64, lo, hi int) { r.found[channel].widen(raw[4*lo : 4*hi]) },
		func(first int64, lo, hi int) {
			for i := range hi - lo {
				r.found[first+int64(i)].widen(raw[4*(lo+i) : 4*(lo+i+1)])
			}
		})
	return nil
}

// widen makes the range hold the encoded numbers.
func (r *Range) widen(raw []byte) {
	lo, hi := r.Min, r.Max
	for ; len(raw) >= 4; raw = raw[4:] {
		x := math.Float32frombits(le.Uint32(raw))
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	r.Min, r.Max = lo, hi
}

// firstNotFinite finds a float32 whose exponent has all bits set, or gives -1.
func firstNotFinite(raw []byte) int {
	const exponent = 0xFF << 23
	for i := 0; i+4 <= len(raw); i += 4 {
		if le.Uint32(raw[i:])&exponent == exponent {
			return i / 4
		}
	}
	return -1
}
