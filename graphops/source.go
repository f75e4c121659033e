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

// source is an opened file, or bytes, that payloads point into. A file is
// opened once and read with pread, never mapped: truncating a mapped file
// raises a signal that Go cannot recover from. It closes when the last payload
// that points into it is gone.
type source struct {
	io.ReaderAt
	path string // as it was asked for, or what a stream is called
	real string // absolute and free of symbolic links; "" for what has no name
	size int64
	file *os.File                                // nil for bytes, and for a file of another machine
	seen fs.FileInfo                             // of the file, when it was opened
	text func(name, text string) ([]byte, error) // OpenOptions.Text

	machine  string    // that the file lies on, "" for this one
	modified time.Time // the file of another machine, when it was opened there
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

// readOnly opens without waiting for the writer of a pipe: what a file is gets
// checked on the open descriptor, so that nothing can be exchanged in between.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// newSource makes a source of an open file, which must be a regular one.
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

// realPath is a path made absolute and free of symbolic links. They are followed
// before anything is cleaned away, as the system does; the working folder, which
// may be spelled with links as well, comes last.
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

// reason is an error of the system without the call and the path, which the
// message around it tells.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// explainMissing tells of a link that leads nowhere what it was to lead to: it
// is there for everyone who looks into the folder.
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

// unchanged reports an error when the file is not as it was when it was opened; of
// a file of another machine, that machine can tell.
// It asks the descriptor: a file that another has taken the name of is whole, and
// goes on being read. The time of the last change of status is not compared,
// because a new permission, link or name moves it too, and a model that was
// edited for an hour must not be lost to a backup by hard links.
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

// inPlace reports an error unless the name that the source was found under still
// leads to it, unchanged.
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

// InPlace is an error unless every file that the model is read from is unchanged
// and still bears its name. Who gives the names to another program asks after it
// has read: what it opened is what bore the name by then.
func InPlace(m *Model) error {
	var errs []error
	for _, s := range sourcesOf(m) {
		errs = append(errs, s.inPlace())
	}
	return errors.Join(errs...)
}
