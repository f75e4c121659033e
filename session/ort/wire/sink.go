package wire

import (
	"fmt"
	"io"
)

// A sink's memory starts with at most this much, whatever was announced, and
// doubles as data arrives.
const firstGrowth = 64 << 20

// Sink takes in an announced number of bytes from the payloads of successive
// frames.
type Sink struct {
	buf  []byte
	got  int64
	want int64
	to   io.Writer // in place of buf; nil for memory
	err  error     // of to
}

// NewSink returns a Sink for size bytes in memory of its own, which grows with
// what has arrived and not with what was announced.
func NewSink(size int64) (*Sink, error) {
	if size < 0 {
		return nil, fmt.Errorf("%d bytes announced", size)
	}
	return &Sink{want: size}, nil
}

// SinkInto returns a Sink that fills p.
func SinkInto(p []byte) *Sink { return &Sink{buf: p, want: int64(len(p))} }

// SinkTo returns a Sink that passes size bytes on. Where they cannot be written they
// are dropped, and Err tells: the connection is still good.
func SinkTo(w io.Writer, size int64) (*Sink, error) {
	s, err := NewSink(size)
	if err == nil {
		s.to = w
	}
	return s, err
}

// Err is why bytes could not be passed on.
func (s *Sink) Err() error { return s.err }

// Full reports whether everything announced has arrived.
func (s *Sink) Full() bool { return s.got == s.want }

// Bytes is what has arrived so far.
func (s *Sink) Bytes() []byte { return s.buf[:s.got] }

// Take reads the rest of the current frame's payload. More than was announced
// is an error, and so is nothing.
func (s *Sink) Take(r *Reader) error {
	n := int64(r.Payload())
	if n == 0 || n > s.want-s.got {
		return fmt.Errorf("%d bytes of data where %d of %d are missing", n, s.want-s.got, s.want)
	}
	if s.to != nil {
		return s.pass(r, n)
	}
	s.grow(s.got + n)
	if err := r.ReadPayload(s.buf[s.got : s.got+n]); err != nil {
		return err
	}
	s.got += n
	return nil
}

// pass sends the n bytes of a payload on.
func (s *Sink) pass(r *Reader, n int64) error {
	if s.buf == nil {
		s.buf = make([]byte, MaxPayload)
	}
	if err := r.ReadPayload(s.buf[:n]); err != nil {
		return err
	}
	s.got += n
	if s.err == nil {
		_, s.err = s.to.Write(s.buf[:n])
	}
	return nil
}

func (s *Sink) grow(need int64) {
	have := int64(len(s.buf))
	if need <= have {
		return
	}
	grown := make([]byte, min(s.want, max(need, 2*have, firstGrowth)))
	copy(grown, s.buf[:s.got])
	s.buf = grown
}
