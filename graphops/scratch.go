package graphops

import (
	"fmt"
	"io"
	"os"
)

// Scratch stores computed payloads. If they are large or very many, it writes them to an unnamed
// temporary file, so that a model can have more of them than fit into memory. The system frees the
// file when nothing refers to it any more.
type Scratch struct {
	file *os.File
	size int64
	held int64 // bytes of payloads in memory
}

const (
	// A payload of up to scratchInMemory bytes stays in memory if the total in memory is then at
	// most scratchHeld bytes. A payload of up to scratchTiny bytes always does, because a reference
	// to the file would take more memory.
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
	return fmt.Sprintf("computed tensors cannot be stored in a temporary file in %s: %v; set TMPDIR to a folder with more space", os.TempDir(), e.cause)
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
	// The source has no file, so that size and times of the file are not checked. They change
	// whenever a payload is added, and no other program can change this file.
	src := &source{ReaderAt: s.file, size: s.size + n}
	p := rangePayload(src, s.size, n)
	s.size += n
	return p, nil
}

// open creates the temporary file and removes its name, if this was not done yet.
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
