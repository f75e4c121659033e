package blockwise

import (
	"bufio"
	"context"
	"io"
	"math"
)

// Strips is a tensor of Outer×Length×Inner numbers that is quantized along the axis of Length. Its
// codes keep the order of the numbers, as those of DequantizeLinear and GatherBlockQuantized do, and
// scales and zero points have the shape Outer×blocks×Inner.
type Strips struct {
	Rule
	Outer, Length, Inner int64
	// Table rounds as the reference does for a GatherBlockQuantized: each operation in the type of
	// the numbers, and halves to the even integer. Otherwise it rounds as for a DequantizeLinear.
	Table bool
	// Signed writes codes and zero points as signed integers.
	Signed bool
	// RowBytes starts each Outer row of zero points in a new byte.
	RowBytes bool
	// Turned writes the codes transposed. It needs one block for all of Length, and Outer 1.
	Turned bool
	Data   io.ReaderAt
}

// Blocks returns the number of blocks along the axis.
func (s Strips) Blocks() int64 { return (s.Length + s.Size - 1) / s.Size }

// Len implements Weight.
func (s Strips) Len(part Part) int64 {
	per := s.perByte()
	row := s.Blocks() * s.Inner
	switch {
	case part == Codes:
		return (s.Outer*s.Length*s.Inner + per - 1) / per
	case part == Scales:
		return s.Outer * row * widths[s.Elem]
	case s.Symmetric:
		return 0
	case s.RowBytes:
		return s.Outer * ((row + per - 1) / per)
	}
	return (s.Outer*row + per - 1) / per
}

// Write implements Weight.
func (s Strips) Write(ctx context.Context, w io.Writer, part Part) error {
	out := bufio.NewWriterSize(w, 1<<16)
	p := packer{w: out, bits: s.Bits}
	var scales []byte
	err := s.each(ctx, nil, func(r *run) error {
		switch part {
		case Scales:
			scales = s.encode(scales[:0], r.scales)
			_, err := out.Write(scales)
			return err
		case ZeroPoints:
			for _, z := range r.zeros {
				p.put(s.signed(z))
			}
			if s.RowBytes && r.last {
				p.flush(byte(s.middle()))
			}
			return p.err
		}
		if s.Turned {
			return r.turned(&p)
		}
		err := r.numbers(func(w []float32, column, _ int64) {
			for _, x := range w {
				p.put(s.signed(r.code(x, column)))
				if column++; column == s.Inner {
					column = 0
				}
			}
		})
		if err == nil {
			err = p.err
		}
		return err
	})
	if err != nil {
		return err
	}
	p.flush(0)
	if p.err != nil {
		return p.err
	}
	return out.Flush()
}

// signed returns a code as it is stored.
func (s *Strips) signed(code float32) byte {
	if s.Signed {
		return byte(int8(code-s.middle())) & byte(s.full())
	}
	return byte(code)
}

// packer packs codes into bytes, the first in the lowest bits.
type packer struct {
	w    io.ByteWriter
	bits int
	next byte
	used int
	err  error
}

func (p *packer) put(code byte) {
	p.next |= code << p.used
	if p.used += p.bits; p.used == 8 {
		p.err = p.w.WriteByte(p.next)
		p.next, p.used = 0, 0
	}
}

// flush fills the last byte.
func (p *packer) flush(filler byte) {
	for p.used > 0 && p.err == nil {
		p.put(filler)
	}
}

// Measure implements Weight.
func (s Strips) Measure(ctx context.Context, keep bool, progress func(read int64)) (Measured, error) {
	var out Measured
	out.Error.Elements, out.Error.Worst = s.Outer*s.Length*s.Inner, -1
	var zeros sliceWriter
	p := packer{w: &zeros, bits: s.Bits}
	total := blockErrors{}
	err := s.each(ctx, progress, func(r *run) error {
		if keep {
			out.Scales = s.encode(out.Scales, r.scales)
			for _, z := range r.zeros {
				p.put(s.signed(z))
			}
			if s.RowBytes && r.last {
				p.flush(byte(s.middle()))
			}
		}
		out.Tiny, out.ZeroBlock = r.tiny, r.zero
		return r.numbers(func(w []float32, column, at int64) {
			for i, x := range w {
				r.measure(&total, x, column, at+int64(i))
				if column++; column == s.Inner {
					column = 0
				}
			}
		})
	})
	p.flush(0)
	if !s.Symmetric {
		out.ZeroPoints = zeros
	}
	out.add(&total, 0)
	out.finish(1)
	return out, err
}

type sliceWriter []byte

// WriteByte implements io.ByteWriter.
func (s *sliceWriter) WriteByte(b byte) error {
	*s = append(*s, b)
	return nil
}

// run is the numbers of Inner blocks, which lie side by side, and their grids.
type run struct {
	s              *Strips
	src            *window
	first, n       int64 // numbers in the data
	last           bool  // the last run of an Outer row
	lo, hi         []float32
	tiny, zero     bool // of any block so far
	scales, zeros  []float32
	inverse, added []float32
}

// each computes the grids of all runs in order.
func (s Strips) each(ctx context.Context, progress func(int64), emit func(*run) error) error {
	if err := s.check(); err != nil || s.Len(Codes) == 0 {
		return err
	}
	r := run{s: &s, src: &window{source: source{ctx: ctx, data: s.Data, elem: s.Elem, progress: progress}, total: s.Outer * s.Length * s.Inner}}
	for _, list := range []*[]float32{&r.lo, &r.hi, &r.scales, &r.zeros, &r.inverse, &r.added} {
		*list = make([]float32, s.Inner)
	}
	if s.Symmetric {
		r.zeros = nil
	}
	for outer := range s.Outer {
		for from := int64(0); from < s.Length; from += s.Size {
			rows := min(s.Size, s.Length-from)
			r.first, r.n, r.last = (outer*s.Length+from)*s.Inner, rows*s.Inner, from+rows == s.Length
			if err := r.fit(); err != nil {
				return err
			}
			if err := emit(&r); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers calls f with the numbers of the run, in pieces: the column of the first one, and its position
// in the data.
func (r *run) numbers(f func(w []float32, column, at int64)) error {
	for at := r.first; at < r.first+r.n; {
		w, err := r.src.from(at, r.first+r.n-at)
		if err != nil {
			return err
		}
		f(w, (at-r.first)%r.s.Inner, at)
		at += int64(len(w))
	}
	return nil
}

// turned writes the codes of the run column by column.
func (r *run) turned(p *packer) error {
	s := r.s
	width := min(max(tileElements/s.Length, 1), s.Inner)
	strip := make([]float32, width*s.Length)
	for first := int64(0); first < s.Inner; first += width {
		n := min(width, s.Inner-first)
		for i := range s.Length {
			if err := r.src.read(strip[i*n:(i+1)*n], i*s.Inner+first); err != nil {
				return err
			}
		}
		for c := range n {
			for i := range s.Length {
				p.put(s.signed(r.code(strip[i*n+c], first+c)))
			}
		}
	}
	return p.err
}

// fit finds the range of each column and its grid.
func (r *run) fit() error {
	for i := range r.lo {
		r.lo[i], r.hi[i] = math.MaxFloat32, -math.MaxFloat32
	}
	err := r.numbers(func(w []float32, column, _ int64) {
		for _, x := range w {
			if x < r.lo[column] {
				r.lo[column] = x
			}
			if x > r.hi[column] {
				r.hi[column] = x
			}
			if column++; column == r.s.Inner {
				column = 0
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range r.lo {
		g := r.s.grid(r.lo[i], r.hi[i])
		r.scales[i], r.inverse[i], r.added[i] = g.scale, g.inverse, g.zero
		if r.zeros != nil {
			r.zeros[i] = g.zero
		}
		r.tiny = r.tiny || !isFinite(g.inverse)
		r.zero = r.zero || g.scale == 0
		if !isFinite(g.scale) {
			return &RangeError{Index: r.first + int64(i), Scale: g.scale}
		}
	}
	return nil
}

// grid returns the grid of a block. Codes are counted from 0, also if they are stored as signed
// integers.
func (s *Strips) grid(lo, hi float32) grid {
	if !s.Table {
		return s.fit(lo, hi)
	}
	g := grid{zero: s.middle()}
	if s.Symmetric {
		far := lo
		if abs(hi) > abs(lo) {
			far = hi
		}
		g.scale = s.stored(far / -s.middle())
		return g
	}
	lo, hi = min(lo, 0), max(hi, 0)
	if g.scale = s.stored(s.stored(hi-lo) / s.full()); g.scale != 0 {
		g.zero = s.clamp(even(s.stored(-lo / g.scale)))
	}
	return g
}

// code returns the integer of a number, counted from 0.
func (r *run) code(x float32, column int64) float32 {
	s := r.s
	scale, zero := r.scales[column], r.added[column]
	switch {
	case !s.Table && !isFinite(r.inverse[column]):
		return s.clamp(away(x/scale) + zero)
	case !s.Table:
		return s.clamp(away(x*r.inverse[column]) + zero)
	case scale == 0:
		return zero
	case s.Symmetric:
		return s.clamp(even(s.stored(x/scale)) + zero)
	}
	return s.clamp(even(s.stored(s.stored(x/scale) + zero)))
}

// measure adds what a number loses.
func (r *run) measure(e *blockErrors, v float32, column, at int64) {
	scale, zero, x := float64(r.scales[column]), float64(r.added[column]), float64(v)
	a, b := scale*(0-zero), scale*(float64(r.s.full())-zero)
	lo, hi := min(a, b), max(a, b)
	e.low, e.high = min(e.low, lo), max(e.high, hi)
	d := math.Abs(x - scale*(float64(r.code(v, column))-zero))
	e.signal += x * x
	e.noise += d * d
	if d > e.maxAbs {
		e.maxAbs, e.maxAt = d, at
	}
	if d > math.Abs(scale) && (x < lo || x > hi) {
		e.cut++
	}
}

// window is a source that keeps the numbers it has just read.
type window struct {
	source
	total int64
	first int64
	held  []float32
}

// from returns at least one and at most n of the numbers from position at on. If n is not too large, it
// returns all.
func (w *window) from(at, n int64) ([]float32, error) {
	want := min(n, tileElements)
	if at < w.first || at+want > w.first+int64(len(w.held)) {
		w.held = sized(w.held, min(tileElements, w.total-at))
		w.first = at
		if err := w.read(w.held, at); err != nil {
			w.held = w.held[:0]
			return nil, err
		}
	}
	return w.held[at-w.first:][:want], nil
}
