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

// beginningBytes is how much of every candidate is read: weights that differ do so
// here, nearly always.
const beginningBytes = 4096

// rest is how much is left to read when the beginning has been.
func (s *stored) rest() int64 {
	if s.bytes <= beginningBytes || s.items[0].DType() == tensor.String {
		return 0
	}
	return s.bytes
}

// beginning sums up the first bytes of a tensor of numbers, and all strings.
func (e *equality) beginning(s *stored) error {
	if s.items[0].DType() == tensor.String {
		return e.strings(s)
	}
	if s.rest() == 0 {
		return e.content(s, s.bytes)
	}
	return e.content(s, beginningBytes)
}

// whole sums up what is longer than its beginning.
func (e *equality) whole(s *stored) error {
	if s.rest() == 0 {
		return nil
	}
	return e.content(s, s.bytes)
}

// content sums up the first n bytes of a tensor of numbers, and notes whether all
// elements are the same where those are all bytes.
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
		err = fmt.Errorf("%d bytes are missing: %w", n-got, io.ErrUnexpectedEOF)
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

// strings sums up strings, each after its length.
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
