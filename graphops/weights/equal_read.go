package weights

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"lathe/graphops/tensor"
)

// sum is a SHA-256 checksum.
type sum [sha256.Size]byte

// beginningBytes is the number of bytes that are read first. Different weights nearly always differ
// in these.
const beginningBytes = 4096

// rest returns the number of bytes that must still be read to hash the copy as a whole. It is 0 if
// the beginning was already all of it.
func (s *stored) rest() int64 {
	if s.bytes <= beginningBytes || s.items[0].DType() == tensor.String {
		return 0
	}
	return s.bytes
}

// beginning computes the checksum of the first bytes of a numeric tensor, or of all strings of a
// string tensor.
func (e *equality) beginning(s *stored) error {
	if s.items[0].DType() == tensor.String {
		return e.strings(s)
	}
	if s.rest() == 0 {
		return e.content(s, s.bytes)
	}
	return e.content(s, beginningBytes)
}

// whole computes the checksum of all bytes, if the tensor is longer than its beginning.
func (e *equality) whole(s *stored) error {
	if s.rest() == 0 {
		return nil
	}
	return e.content(s, s.bytes)
}

// content computes the checksum of the first n bytes of a numeric tensor. If these are all bytes,
// it also records whether all elements are equal.
func (e *equality) content(s *stored, n int64) error {
	t := s.items[0]
	c, err := open(t.Tensor, e.meter)
	if err != nil {
		return err
	}
	defer c.close()
	h := sha256.New()
	elements, err := t.Elements()
	if err != nil {
		return err
	}
	u, err := tensor.NewUniform(t.DType(), elements)
	if err != nil {
		return err
	}
	to := io.MultiWriter(h, u)
	if n < s.bytes {
		to = h
	}
	got, err := io.CopyBuffer(to, io.LimitReader(c.stream(), n), make([]byte, max(1, min(n, bufferBytes))))
	if err == nil && got < n {
		err = fmt.Errorf("%d bytes of the elements are missing: %w", n-got, io.ErrUnexpectedEOF)
	}
	if err == nil {
		err = c.payload.Unchanged()
	}
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name(), err)
	}
	s.sum = sumOf(h)
	if value, ok := u.Value(); ok && elements > 1 {
		for _, item := range s.items {
			e.uniform = append(e.uniform, Uniform{item, value})
		}
	}
	return nil
}

// strings computes the checksum of the strings of a tensor. Each is preceded by its length.
func (e *equality) strings(s *stored) error {
	list, err := s.items[0].Strings()
	if err != nil {
		return err
	}
	h := sha256.New()
	for _, text := range list {
		h.Write(binary.AppendUvarint(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	s.sum = sumOf(h)
	return e.meter.read(s.bytes)
}

func sumOf(h hash.Hash) (s sum) {
	h.Sum(s[:0])
	return s
}
