package graphops

import (
	"fmt"
	"io"
	"os"
)

// Scratch keeps computed payloads, large ones and very many in one file without a name,
// so that a model can consist of more of them than fit into memory. The system removes
// the file when nothing points into it any more.
type Scratch struct {
	file *os.File
	size int64
	held int64 // bytes of payloads that are in memory
}

const (
	// scratchInMemory is the size up to which a payload stays in memory, as long as
	// there are scratchHeld bytes at most there; and tiny ones do, since each is less
	// than what points to it.
	scratchInMemory = 64 << 10
	scratchHeld     = 64 << 20
	scratchTiny     = 512
)

// holds reports whether a payload of a size stays in memory.
func (s *Scratch) holds(n int64) bool {
	return n <= scratchTiny || n <= scratchInMemory && s.held <= scratchHeld-n
}

// ScratchError is that a Scratch cannot keep what it was given.
type ScratchError struct{ cause error }

// Error implements error.
func (e *ScratchError) Error() string {
	return fmt.Sprintf("computed tensors are kept in a file in %s: %v; set TMPDIR to a folder with room", os.TempDir(), e.cause)
}

// Unwrap implements errors.Unwrap.
func (e *ScratchError) Unwrap() error { return e.cause }

// Keep keeps bytes, which do not change any more. Where they cannot be written, the
// error is a *ScratchError.
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

// Make is Keep for n bytes that write makes. What was written before an error of its
// own is lost.
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
	// The file grows and nobody else can reach it, so that its size and times say
	// nothing: the source is one without a file.
	src := &source{ReaderAt: s.file, size: s.size + n}
	p := rangePayload(src, s.size, n)
	s.size += n
	return p, nil
}

// open makes the file, if there is none, and takes away its name.
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

// scratchWriter writes to a file from an offset on.
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
