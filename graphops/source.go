package graphops

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// source is an opened file, or bytes, that payloads point into. A file is
// opened once and read with pread, never mapped: truncating a mapped file
// raises a signal that Go cannot recover from. It closes when the last payload
// that points into it is gone.
type source struct {
	io.ReaderAt
	path string // as it was asked for
	real string // absolute and free of symbolic links
	size int64
	file *os.File    // nil for bytes
	seen fs.FileInfo // of the file, when it was opened
}

// openSource opens a regular file. Opening does not block on a pipe: what it
// is gets checked on the open descriptor, so that nothing can be exchanged in
// between.
func openSource(path string) (*source, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("is %s, expected a regular file", describeMode(info.Mode()))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &source{ReaderAt: f, path: path, real: real, size: info.Size(), file: f, seen: info}, nil
}

func describeMode(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "not a file"
	}
}

// unchanged reports an error when the file is not as it was when it was opened.
func (s *source) unchanged() error {
	if s.file == nil {
		return nil
	}
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if info.Size() != s.seen.Size() || !info.ModTime().Equal(s.seen.ModTime()) {
		return fmt.Errorf("%s: the file changed while it was in use; open it again", s.path)
	}
	return nil
}
