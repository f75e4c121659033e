package tensor

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Strided describes a tensor whose elements are taken from another tensor, the source, which is
// row-major. The element at an index is the source's element at position Base + Σ index·stride. The
// stride is 0 along a repeated axis, and negative along a reversed one.
type Strided struct {
	Shape   []int64
	Strides []int64
	Base    int64
}

// Whole describes a tensor with all elements of a source of this shape, in the same order.
func Whole(shape []int64) Strided {
	s := Strided{Shape: slices.Clone(shape), Strides: make([]int64, len(shape))}
	stride := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		s.Strides[i] = stride
		stride *= shape[i]
	}
	return s
}

// Repeated describes a source of shape from that is broadcast to the shape to. ok is false if it
// cannot be.
func Repeated(from, to []int64) (s Strided, ok bool) {
	if !Broadcasts(from, to) {
		return Strided{}, false
	}
	w := Whole(from)
	s = Strided{Shape: slices.Clone(to), Strides: make([]int64, len(to))}
	for i, d := range from {
		if d != 1 {
			s.Strides[len(to)-len(from)+i] = w.Strides[i]
		}
	}
	return s, true
}

// check returns an error unless all elements that s takes exist in a source of n elements.
func (s Strided) check(n int64) error {
	count, err := Elements(s.Shape)
	if err != nil || count == 0 {
		return err
	}
	outside := fmt.Errorf("the part extends beyond the %d elements of the tensor", n)
	if len(s.Strides) != len(s.Shape) || s.Base < 0 || s.Base >= n {
		return outside
	}
	first, last := s.Base, s.Base
	for i, d := range s.Shape {
		stride := s.Strides[i]
		if d > 1 && (stride > n || stride < -n || stride != 0 && d-1 > n/abs(stride)) {
			return outside
		}
		first, last = first+min((d-1)*stride, 0), last+max((d-1)*stride, 0)
	}
	if first < 0 || last >= n {
		return outside
	}
	return nil
}

const (
	// stripBytes is the size of the strips in which the result is computed if its elements have
	// another order than in the source. The larger a strip, the larger are the ranges in which the
	// source is read.
	stripBytes = 64 << 20
	// pieceBytes is the size of the strips if the elements have the same order as in the source.
	pieceBytes = 256 << 10
	// spanBytes is the maximum number of bytes that are read at once, including gaps between needed
	// elements.
	spanBytes = 4 << 20
)

// StridedReader reads the elements of a Strided in order. The memory it needs is bounded.
type StridedReader struct {
	src     io.ReaderAt
	held    []byte // the whole source, if it is in memory
	size    int64  // of an element, in bytes
	shape   []int64
	strides []int64
	base    int64
	left    int64   // elements that are in no strip yet
	index   []int64 // start of the next strip, along the axes up to and including split
	split   int     // the axis of which a strip has several indices
	rows    int64   // how many of them
	strip   []byte
	ready   []byte // the rest of the strip
	span    []byte
}

// Reader returns a reader of the elements that s takes from src. The elements of src must take
// whole bytes.
func (s Strided) Reader(src Stored) (*StridedReader, error) {
	n, err := Elements(src.Shape)
	if err != nil {
		return nil, err
	}
	if src.DType.Bits() < 8 {
		return nil, fmt.Errorf("elements of type %s do not take whole bytes", src.DType)
	}
	if err := s.check(n); err != nil {
		return nil, err
	}
	r := &StridedReader{src: src.Data, size: int64(src.DType.Bits() / 8), base: s.Base}
	r.left, _ = Elements(s.Shape)
	r.shape, r.strides = merged(s.Shape, s.Strides)
	if m, ok := src.Data.(Memory); ok {
		r.held = m
	}
	r.plan()
	return r, nil
}

// Memory is an io.ReaderAt for bytes in memory. A StridedReader uses such bytes without copying
// them.
type Memory []byte

// ReadAt implements io.ReaderAt.
func (m Memory) ReadAt(b []byte, offset int64) (int, error) {
	if offset < 0 || offset > int64(len(m)) {
		return 0, io.EOF
	}
	n := copy(b, m[offset:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// merged removes axes of size 1 and merges neighbouring axes that can be traversed as one.
func merged(shape, strides []int64) (to, by []int64) {
	for i, d := range shape {
		last := len(to) - 1
		switch {
		case d == 1:
		case last >= 0 && by[last] == d*strides[i]:
			to[last], by[last] = to[last]*d, strides[i]
		default:
			to, by = append(to, d), append(by, strides[i])
		}
	}
	if to == nil {
		return []int64{1}, []int64{1}
	}
	return to, by
}

// plan chooses the size of the strips. A strip has all indices of the innermost axes, and some
// successive indices of the axis before them.
func (r *StridedReader) plan() {
	limit := int64(pieceBytes)
	if r.held == nil && !slices.IsSortedFunc(r.strides, func(a, b int64) int { return cmp.Compare(b, a) }) {
		limit = stripBytes
	}
	room := max(limit/r.size, 1)
	inner := int64(1)
	r.split = len(r.shape) - 1
	for r.split > 0 && inner*r.shape[r.split] <= room/2 {
		inner *= r.shape[r.split]
		r.split--
	}
	r.rows = max(min(room/max(inner, 1), r.shape[r.split]), 1)
	r.index = make([]int64, r.split+1)
}

// Read implements io.Reader.
func (r *StridedReader) Read(b []byte) (int, error) {
	if len(r.ready) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// WriteTo implements io.WriterTo, strip by strip.
func (r *StridedReader) WriteTo(w io.Writer) (int64, error) {
	total := int64(0)
	for {
		n, err := w.Write(r.ready)
		total += int64(n)
		if r.ready = nil; err != nil || r.left == 0 {
			return total, err
		}
		if err := r.fill(); err != nil {
			return total, err
		}
	}
}

// fill computes the next strip.
func (r *StridedReader) fill() error {
	rows := min(r.rows, r.shape[r.split]-r.index[r.split])
	shape := slices.Clone(r.shape[r.split:])
	shape[0] = rows
	base, count := r.base, int64(1)
	for i, at := range r.index {
		base += at * r.strides[i]
	}
	for _, d := range shape {
		count *= d
	}
	if int64(cap(r.strip)) < count*r.size {
		r.strip = make([]byte, count*r.size)
	}
	r.strip = r.strip[:count*r.size]
	err := r.box(shape, r.strides[r.split:], base)
	r.ready, r.left = r.strip, r.left-count
	r.advance(rows)
	return err
}

// advance moves to the start of the next strip, which is rows indices further along the split axis.
func (r *StridedReader) advance(rows int64) {
	r.index[r.split] += rows
	for i := r.split; i > 0 && r.index[i] == r.shape[i]; i-- {
		r.index[i] = 0
		r.index[i-1]++
	}
}

// box computes a strip from the elements of the source with this shape and these strides, of which
// the first has position base.
func (r *StridedReader) box(shape, strides []int64, base int64) error {
	b := newBox(shape, strides, base)
	if r.held != nil {
		b.copy(r.strip, r.held, r.size)
		return nil
	}
	outer, span := b.parts(r.size)
	b.read = slices.Clone(b.axes[:outer])
	inner := box{axes: b.axes[outer:]}
	if int64(cap(r.span)) < span*r.size {
		r.span = make([]byte, span*r.size)
	}
	r.span = r.span[:span*r.size]
	return b.each(func(from, to int64) error {
		n, err := r.src.ReadAt(r.span, from*r.size)
		if n < len(r.span) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%d bytes from byte %d on: %w", len(r.span), from*r.size, err)
		}
		inner.base, inner.to = 0, to
		inner.copy(r.strip, r.span, r.size)
		return nil
	})
}
