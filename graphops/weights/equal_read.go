package weights

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"

	"lathe/graphops/tensor"
)

// sum is a SHA-256.
type sum [sha256.Size]byte

// beginningBytes is how much is read of each candidate: different weights nearly always differ
// there.
const beginningBytes = 4096

// rest returns how much remains to be read after the beginning.
func (s *stored) rest() int64 {
	if s.bytes <= beginningBytes || s.items[0].DType() == tensor.String {
		return 0
	}
	return s.bytes
}

// beginning hashes the first bytes of a numeric tensor, or all strings.
func (e *equality) beginning(s *stored) error {
	if s.items[0].DType() == tensor.String {
		return e.strings(s)
	}
	if s.rest() == 0 {
		return e.content(s, s.bytes)
	}
	return e.content(s, beginningBytes)
}

// whole hashes tensors that are longer than their beginning.
func (e *equality) whole(s *stored) error {
	if s.rest() == 0 {
		return nil
	}
	return e.content(s, s.bytes)
}

// content hashes the first n bytes of a numeric tensor. If these are all bytes, it also records
// whether all elements are the same.
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

// strings hashes strings, each preceded by its length.
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
