package graphops

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"lathe/graphops/durable"
)

// Payload is a sequence of bytes that are read only when they are needed. It is a range of a file,
// bytes in memory, or the output of a function that computes it (a transform). Its length is known.
// The zero Payload is empty.
type Payload struct {
	length int64
	src    *source
	offset int64 // of the first byte in src
	data   []byte
	make   func(w io.Writer) error
	slow   bool
}

// BytesPayload returns a payload in memory. The caller must not change data.
func BytesPayload(data []byte) Payload {
	return Payload{length: int64(len(data)), data: data}
}

// TransformPayload returns a payload of n bytes that write computes each time it is read, such
// as a weight that is quantized while it is saved. Reading fails if write writes another number of
// bytes.
func TransformPayload(n int64, write func(w io.Writer) error) Payload {
	return Payload{length: n, make: write}
}

// Slow returns the payload marked as one whose computation reads far more than it writes, such as the
// scale of a weight. Shape inference does not read it.
func (p Payload) Slow() Payload {
	p.slow = true
	return p
}

// IsSlow reports whether the payload is marked as slow.
func (p Payload) IsSlow() bool { return p.slow }

// StoredPayload returns the first n bytes of r as a payload. These bytes must no longer change.
func StoredPayload(r io.ReaderAt, n int64) Payload {
	return rangePayload(&source{ReaderAt: r, size: n}, 0, n)
}

func rangePayload(src *source, offset, n int64) Payload {
	return Payload{length: n, src: src, offset: offset}
}

// Len returns the number of bytes.
func (p Payload) Len() int64 { return p.length }

// InMemory returns the bytes of a payload that is in memory. ok is false for other payloads.
func (p Payload) InMemory() ([]byte, bool) {
	return p.data, p.src == nil && p.make == nil
}

// Location returns the file that contains the payload and the offset of its first byte. ok is
// false for payloads that are not in a file with a name.
func (p Payload) Location() (path string, offset int64, ok bool) {
	if p.src == nil || p.src.path == "" {
		return "", 0, false
	}
	return p.src.path, p.offset, true
}

// SameRange reports whether two payloads are the same bytes of the same file. The file may have
// been opened by different paths.
func (p Payload) SameRange(q Payload) bool {
	return p.src != nil && q.src != nil && p.offset == q.offset && p.length == q.length &&
		(p.src == q.src || p.src.file != nil && q.src.file != nil && os.SameFile(p.src.seen, q.src.seen))
}

// Unchanged returns an error if the file with the payload has changed since it was opened.
// Callers check this after they have read the payload.
func (p Payload) Unchanged() error {
	if p.src == nil {
		return nil
	}
	return p.src.unchanged()
}

// Reader returns a reader of the payload. It need not be closed. A transform is computed while the
// reader is being read, in the goroutine that reads.
func (p Payload) Reader() io.Reader {
	switch {
	case p.make != nil:
		return &transformReader{p: p}
	case p.src != nil:
		return io.NewSectionReader(p.src, p.offset, p.length)
	default:
		return bytes.NewReader(p.data)
	}
}

// WriteTo writes the whole payload.
func (p Payload) WriteTo(w io.Writer) (int64, error) {
	if p.make != nil {
		c := &countWriter{w: w, left: p.length}
		if err := p.make(c); err != nil {
			return p.length - c.left, err
		}
		if c.left != 0 {
			return p.length - c.left, fmt.Errorf("a computed tensor has %d bytes less than its type and shape require", c.left)
		}
		return p.length, nil
	}
	if to, ok := w.(durable.Copier); ok && p.src != nil {
		src := durable.Source{ReaderAt: p.src, Path: p.src.path, File: p.src.file}
		return p.length, to.CopyRange(src, p.offset, p.length)
	}
	n, err := io.Copy(w, p.Reader())
	if err == nil && n < p.length {
		err = fmt.Errorf("%s: the file ended %d bytes early: it changed while it was in use; open it again", p.src.path, p.length-n)
	}
	return n, err
}

// Bytes reads the whole payload into memory. Callers must limit its size.
func (p Payload) Bytes() ([]byte, error) {
	if data, ok := p.InMemory(); ok {
		return data, nil
	}
	buf := bytes.NewBuffer(make([]byte, 0, p.length))
	if _, err := p.WriteTo(buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// countWriter returns an error if a transform writes more bytes than the payload's length.
type countWriter struct {
	w    io.Writer
	left int64
}

func (c *countWriter) Write(b []byte) (int, error) {
	if int64(len(b)) > c.left {
		return 0, fmt.Errorf("a computed tensor has %d bytes more than its type and shape require", int64(len(b))-c.left)
	}
	n, err := c.w.Write(b)
	c.left -= int64(n)
	return n, err
}

// transformReader reads the output of a transform. The first Read computes all bytes and keeps them
// in memory. WriteTo, which io.Copy prefers, passes them on as they are computed.
type transformReader struct {
	p    Payload
	made *bytes.Reader
}

func (r *transformReader) Read(b []byte) (int, error) {
	if r.made == nil {
		data, err := r.p.Bytes()
		if err != nil {
			return 0, err
		}
		r.made = bytes.NewReader(data)
	}
	return r.made.Read(b)
}

func (r *transformReader) WriteTo(w io.Writer) (int64, error) {
	if r.made != nil {
		return r.made.WriteTo(w)
	}
	return r.p.WriteTo(w)
}
