package tensor

import (
	"bytes"
	"fmt"
	"io"
)

// chunkNumbers is how many numbers a Reader decodes at a time: enough to make
// the call per chunk cheap, few enough to stay in the first-level cache. It is
// a multiple of 4, so that 2-bit elements fill whole bytes.
const chunkNumbers = 2048

// Reader decodes the elements of a numeric tensor chunk by chunk, so that a
// tensor of any size takes a fixed amount of memory.
type Reader struct {
	src   io.Reader
	dtype DType
	left  int64 // numbers not yet read
	raw   []byte
	float []float64
	int   []int64
}

// NewReader reads n elements of type d from src.
func NewReader(src io.Reader, d DType, n int64) (*Reader, error) {
	if _, err := d.ByteLen(n); err != nil {
		return nil, err
	}
	return &Reader{src: src, dtype: d, left: n * int64(d.Components()), raw: make([]byte, chunkNumbers*8)}, nil
}

// Reader reads the elements of a tensor in memory.
func (t Tensor) Reader() (*Reader, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return NewReader(bytes.NewReader(t.Data), t.DType, t.Len())
}

// Float64s gives the next chunk, decoded as DecodeFloat64 does, and io.EOF
// after the last. The slice is valid until the next call. Chunks have the same
// length whatever the type, only the last one is shorter. A source that ends
// early is an error that wraps io.ErrUnexpectedEOF.
func (r *Reader) Float64s() ([]float64, error) {
	n, err := r.next()
	if err != nil {
		return nil, err
	}
	if r.float == nil {
		r.float = make([]float64, chunkNumbers)
	}
	return r.float[:n], DecodeFloat64(r.float[:n], r.dtype, r.raw)
}

// Int64s gives the next chunk, decoded as DecodeInt64 does, and otherwise
// behaves as Float64s.
func (r *Reader) Int64s() ([]int64, error) {
	n, err := r.next()
	if err != nil {
		return nil, err
	}
	if r.int == nil {
		r.int = make([]int64, chunkNumbers)
	}
	return r.int[:n], DecodeInt64(r.int[:n], r.dtype, r.raw)
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
