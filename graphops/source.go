package graphops

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// source is an open file, or bytes, that payloads refer to. A file is opened once and read with
// pread. It is never mapped, because truncating a mapped file raises a signal that Go cannot
// recover from. It is closed when the last payload that refers to it is freed.
type source struct {
	io.ReaderAt
	path string // the requested path, or the name of a stream
	real string // absolute, without symbolic links; empty if it has no name
	size int64
	file *os.File                                // nil for bytes, and for a file on another machine
	seen fs.FileInfo                             // state of the file when it was opened
	text func(name, text string) ([]byte, error) // OpenOptions.Text

	machine  string    // the machine that has the file, empty for this one
	modified time.Time // of a file on another machine, when it was opened there
}

// openSource opens a model file.
func openSource(path string) (*source, error) {
	f, err := os.OpenFile(path, readOnly, 0)
	if err != nil {
		return nil, explainMissing(path, reason(err))
	}
	src, err := newSource(f, path)
	if errors.Is(err, errDirectory) {
		err = describeFolder(f)
	}
	if err == nil {
		src.real, err = realPath(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return src, nil
}

// readOnly opens a file without waiting for the writer of a pipe. The kind of file is checked on
// the open descriptor, so that it cannot be replaced in between.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// newSource returns a source for an open file, which must be a regular file.
func newSource(f *os.File, path string) (*source, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, errDirectory
	case !mode.IsRegular():
		return nil, fmt.Errorf("is %s, expected a regular file", describeMode(mode))
	}
	return &source{ReaderAt: f, path: path, size: info.Size(), file: f, seen: info}, nil
}

var errDirectory = errors.New("is a directory, expected a regular file")

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

// realPath returns an absolute path without symbolic links. Links are resolved before the path
// is cleaned, as the system does. The working folder, whose path may contain links too, is resolved
// last.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	return real, reason(err)
}

// reason returns a system error without the call and the path, which the message already has.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// explainMissing adds the target to the error for a broken link, because the link itself is
// visible in the folder.
func explainMissing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	target, broken := os.Readlink(path)
	switch {
	case broken != nil:
		return err
	case strings.Contains(filepath.ToSlash(target), annexObjects):
		return fmt.Errorf("is a git-annex link whose content is not here; fetch it with `git annex get`")
	default:
		return fmt.Errorf("is a link to %s, which does not exist", target)
	}
}

// unchanged returns an error if the file has changed since it was opened. A file on another
// machine is checked there.
//
// It checks the open descriptor: a file whose name was taken by another file is still complete and
// can be read. It does not compare the time of the last status change, because a new permission,
// link or name changes it too, and an edited model must not become unusable because of a backup
// with hard links.
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

// inPlace returns an error if the source's name no longer leads to it, or if it has changed.
func (s *source) inPlace() error {
	if s.real == "" || s.file == nil {
		return s.unchanged()
	}
	info, err := os.Stat(s.real)
	if err != nil || !os.SameFile(info, s.seen) {
		return fmt.Errorf("%s: another file has taken its place while it was in use; open it again", s.path)
	}
	return s.unchanged()
}

// InPlace returns an error unless every file that the model is read from is unchanged and still
// has its name. Callers that pass the names to another program check this after it has read the
// files, which proves that it opened the right files.
func InPlace(m *Model) error {
	var errs []error
	for _, s := range sourcesOf(m) {
		errs = append(errs, s.inPlace())
	}
	return errors.Join(errs...)
}
