package wire

import (
	"fmt"
	"io"
)

// firstGrowth limits the first allocation of a sink, in bytes, even if more was announced. If more
// data arrives, the memory is doubled.
const firstGrowth = 64 << 20

// Sink receives an announced number of bytes, which arrive in the payloads of successive frames.
type Sink struct {
	buf  []byte
	got  int64
	want int64
	to   io.Writer // receives the bytes if it is not nil; buf is then only a buffer
	err  error     // first write error of to
}

// NewSink returns a Sink for size bytes in memory. The memory grows with the bytes that have
// arrived, not with the announced size.
func NewSink(size int64) (*Sink, error) {
	if size < 0 {
		return nil, fmt.Errorf("%d bytes announced", size)
	}
	return &Sink{want: size}, nil
}

// SinkInto returns a Sink that fills p.
func SinkInto(p []byte) *Sink { return &Sink{buf: p, want: int64(len(p))} }

// SinkTo returns a Sink that writes size bytes to w. If writing fails, the Sink drops the remaining
// bytes, so that the connection can still be used. Err then returns the error.
func SinkTo(w io.Writer, size int64) (*Sink, error) {
	s, err := NewSink(size)
	if err == nil {
		s.to = w
	}
	return s, err
}

// Err returns the first error of writing to the writer that was passed to SinkTo.
func (s *Sink) Err() error { return s.err }

// Full reports whether all announced bytes have arrived.
func (s *Sink) Full() bool { return s.got == s.want }

// Bytes returns the bytes that have arrived so far.
func (s *Sink) Bytes() []byte { return s.buf[:s.got] }

// Take reads the rest of the current frame's payload into the sink. It returns an error if the
// payload is empty or exceeds the announced size.
func (s *Sink) Take(r *Reader) error {
	n := int64(r.Payload())
	if n == 0 || n > s.want-s.got {
		return fmt.Errorf("%d bytes of data arrived, but %d of %d are missing", n, s.want-s.got, s.want)
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

// pass writes the n bytes of a payload to the writer.
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
