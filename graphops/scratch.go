package graphops

import (
	"fmt"
	"io"
	"os"
)

// Scratch stores computed payloads in an unnamed file if they are large or very many, so that a
// model can have more of them than fit into memory. The system frees the file when nothing refers
// to it.
type Scratch struct {
	file *os.File
	size int64
	held int64 // bytes of payloads in memory
}

const (
	// scratchInMemory is the size up to which a payload stays in memory, as long as the total is
	// at most scratchHeld. Payloads up to scratchTiny always do, because each is smaller than the
	// reference to it.
	scratchInMemory = 64 << 10
	scratchHeld     = 64 << 20
	scratchTiny     = 512
)

// holds reports whether a payload of this size stays in memory.
func (s *Scratch) holds(n int64) bool {
	return n <= scratchTiny || n <= scratchInMemory && s.held <= scratchHeld-n
}

// ScratchError says that a Scratch could not store data.
type ScratchError struct{ cause error }

// Error implements error.
func (e *ScratchError) Error() string {
	return fmt.Sprintf("computed tensors are kept in a file in %s: %v; set TMPDIR to a folder with room", os.TempDir(), e.cause)
}

// Unwrap implements errors.Unwrap.
func (e *ScratchError) Unwrap() error { return e.cause }

// Keep stores bytes, which must no longer change. If they cannot be written, the error is a
// *ScratchError.
func (s *Scratch) Keep(data []byte) (Payload, error) {
	if n := int64(len(data)); s.holds(n) {
		s.held += n
		return BytesPayload(data), nil
	}
	return s.Make(int64(len(data)), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Make stores n bytes that write computes. If write returns an error, nothing is stored.
func (s *Scratch) Make(n int64, write func(w io.Writer) error) (Payload, error) {
	if s.holds(n) {
		s.held += n
		data, err := TransformPayload(n, write).Bytes()
		return BytesPayload(data), err
	}
	if err := s.open(); err != nil {
		return Payload{}, &ScratchError{reason(err)}
	}
	if _, err := TransformPayload(n, write).WriteTo(&scratchWriter{s.file, s.size}); err != nil {
		return Payload{}, err
	}
	// The file grows and is not accessible to others, so its size and times are not checked: the
	// source has no file.
	src := &source{ReaderAt: s.file, size: s.size + n}
	p := rangePayload(src, s.size, n)
	s.size += n
	return p, nil
}

// open creates the file, if there is none, and removes its name.
func (s *Scratch) open() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp("", "lathe-*.tensors")
	if err != nil {
		return err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return err
	}
	s.file = f
	return nil
}

// scratchWriter writes to a file from an offset.
type scratchWriter struct {
	file *os.File
	at   int64
}

// Write implements io.Writer.
func (w *scratchWriter) Write(b []byte) (int, error) {
	n, err := w.file.WriteAt(b, w.at)
	if w.at += int64(n); err != nil {
		err = &ScratchError{reason(err)}
	}
	return n, err
}
