package tensor

import (
	"bytes"
	"fmt"
	"io"
)

// Stored is a numeric tensor in a file or in memory, of which parts can be read.
type Stored struct {
	DType DType
	Shape []int64
	// Data has the elements in the form of Tensor.Data. Functions of this package read it in order
	// of ascending offsets and read no byte twice.
	Data io.ReaderAt
}

// Stored returns a numeric tensor in memory as a Stored.
func (t Tensor) Stored() (Stored, error) {
	if err := t.Check(); err != nil {
		return Stored{}, err
	}
	return Stored{t.DType, t.Shape, bytes.NewReader(t.Data)}, nil
}

const (
	// nearBytes is the largest gap between needed bytes that is read instead of skipped. A separate
	// read would take longer than reading these bytes.
	nearBytes = 16 << 10
	// aheadBytes is the maximum number of bytes that are read at once.
	aheadBytes = 256 << 10
)

// scanner reads elements of a tensor at ascending positions. As long as these are close to each
// other, it reads more and more ahead.
type scanner struct {
	Stored
	size int64 // in bytes
	from int64 // offset of the first byte in buf
	buf  []byte
	last int64 // number of bytes read last
}

func newScanner(s Stored) (*scanner, error) {
	n, err := Elements(s.Shape)
	if err != nil {
		return nil, err
	}
	size, err := s.DType.ByteLen(n)
	if err != nil {
		return nil, err
	}
	return &scanner{Stored: s, size: size}, nil
}

// bytes returns n bytes from an offset. They are valid until the next call.
func (s *scanner) bytes(offset, n int64) ([]byte, error) {
	to := s.from + int64(len(s.buf))
	if offset >= s.from && offset+n <= to {
		return s.buf[offset-s.from:][:n], nil
	}
	want := n
	if near := offset - to; near <= nearBytes {
		want = max(n, min(2*s.last+near, aheadBytes))
	}
	kept := int64(0)
	if offset < to { // keep the rest of what was read
		kept = int64(copy(s.buf, s.buf[offset-s.from:]))
	}
	want = min(want, s.size-offset)
	buf := s.buf[:kept]
	if int64(cap(buf)) < want {
		buf = append(make([]byte, 0, max(want, 2*kept)), buf...)
	}
	s.buf, s.from, s.last = buf[:want], offset, want-kept
	if got, err := s.Data.ReadAt(s.buf[kept:], offset+kept); int64(got) < want-kept {
		s.buf = nil
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%d bytes from byte %d on: %w", want-kept, offset+kept, err)
	}
	return s.buf[:n], nil
}

// elements copies n elements to the start of dst. The first has position first, and each further
// one is stride positions after the previous one.
func (s *scanner) elements(dst []byte, first, stride int64, n int) error {
	width := int64(s.DType.Bits())
	switch {
	case width < 8:
		return s.packed(dst, first, stride, n)
	case stride == 1:
		raw, err := s.bytes(first*width/8, int64(n)*width/8)
		copy(dst, raw)
		return err
	}
	size := width / 8
	for i := range int64(n) {
		raw, err := s.bytes((first+i*stride)*size, size)
		if err != nil {
			return err
		}
		copy(dst[i*size:], raw)
	}
	return nil
}

// packed is elements for types smaller than a byte.
func (s *scanner) packed(dst []byte, first, stride int64, n int) error {
	width := s.DType.Bits()
	if stride == 1 {
		bit := first * int64(width)
		end := (bit + int64(n*width) + 7) / 8
		raw, err := s.bytes(bit/8, end-bit/8)
		if err != nil {
			return err
		}
		for i := range n {
			pack(dst, i, width, codeAt(raw, int(bit%8)+i*width, width))
		}
		return nil
	}
	for i := range n {
		bit := (first + int64(i)*stride) * int64(width)
		raw, err := s.bytes(bit/8, (bit%8+int64(width)+7)/8)
		if err != nil {
			return err
		}
		pack(dst, i, width, codeAt(raw, int(bit%8), width))
	}
	return nil
}
