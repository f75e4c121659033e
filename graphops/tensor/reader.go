package tensor

import (
	"bytes"
	"fmt"
	"io"
)

// chunkNumbers is the number of numbers that a Reader decodes at a time. It is large enough that
// the cost of a call does not matter, and small enough for the first-level cache. It is a multiple
// of 4, so that 2-bit elements fill whole bytes.
const chunkNumbers = 2048

// Reader decodes the elements of a numeric tensor chunk by chunk, so that a tensor of any size
// needs a fixed amount of memory.
type Reader struct {
	src   io.Reader
	dtype DType
	left  int64 // numbers not yet read
	raw   []byte
	float []float64
	int   []int64
}

// NewReader returns a reader of n elements of type d from src.
func NewReader(src io.Reader, d DType, n int64) (*Reader, error) {
	if _, err := d.ByteLen(n); err != nil {
		return nil, err
	}
	return &Reader{src: src, dtype: d, left: n * int64(d.Components()), raw: make([]byte, chunkNumbers*8)}, nil
}

// Reader returns a reader of the elements of a tensor in memory.
func (t Tensor) Reader() (*Reader, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return NewReader(bytes.NewReader(t.Data), t.DType, t.Len())
}

// Float64s returns the next chunk, decoded like decodeFloat64, and io.EOF after the last. The slice
// is valid until the next call. All chunks except the last have the same length, whatever the type.
// A source that ends early is an error that wraps io.ErrUnexpectedEOF.
func (r *Reader) Float64s() ([]float64, error) {
	n, err := r.next()
	if err != nil {
		return nil, err
	}
	if r.float == nil {
		r.float = make([]float64, chunkNumbers)
	}
	return r.float[:n], decodeFloat64(r.float[:n], r.dtype, r.raw)
}

// Int64s returns the next chunk, decoded like decodeInt64, and otherwise behaves like Float64s.
func (r *Reader) Int64s() ([]int64, error) {
	n, err := r.next()
	if err != nil {
		return nil, err
	}
	if r.int == nil {
		r.int = make([]int64, chunkNumbers)
	}
	return r.int[:n], decodeInt64(r.int[:n], r.dtype, r.raw)
}

// next fills raw with the next n numbers.
func (r *Reader) next() (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n = int(min(r.left, chunkNumbers))
	size, err := r.dtype.ByteLen(int64(n / r.dtype.Components()))
	if err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(r.src, r.raw[:size]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, fmt.Errorf("%d of the tensor's numbers are missing: %w", r.left, err)
	}
	r.left -= int64(n)
	return n, nil
}
