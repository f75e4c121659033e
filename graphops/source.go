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

	"lathe/graphops/durable"
	"lathe/graphops/formats"
)

// source is what payloads refer to: an open file, or bytes in memory. A file is opened once and
// read with pread. It is never mapped, because truncating a mapped file raises a signal that Go
// cannot recover from. The garbage collector closes it when no payload refers to it any more.
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

// openSource opens a model file, or another file that is read in the same way.
func openSource(path string) (*source, error) {
	f, err := os.OpenFile(path, readOnly, 0)
	if err != nil {
		return nil, explainMissing(path, reason(err))
	}
	src, err := newSource(f, path)
	if errors.Is(err, errDirectory) {
		if what := formats.DescribeFolder(f); what != "" {
			err = errors.New("is " + what)
		}
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

// readOnly are the flags for opening a file. If the path is a pipe, opening does not wait for a
// program that writes to it. Whether the file is a regular one is checked after it is opened, so
// that it cannot be replaced in between.
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
		return nil, fmt.Errorf("is %s, expected a regular file", durable.DescribeMode(mode))
	}
	return &source{ReaderAt: f, path: path, size: info.Size(), file: f, seen: info}, nil
}

var errDirectory = errors.New("is a directory, expected a regular file")

// realPath returns the absolute path of a file without symbolic links. It resolves links before it
// cleans the path, as the system does, because a link can precede "..". The working folder is
// resolved last, because its path may contain links too.
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

// reason returns a system error without the name of the call and the path, because the caller's
// message has the path already.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return durable.Explain(p.Err)
	}
	return err
}

// explainMissing improves the error for a file that does not exist. If the path is a symbolic link,
// the user sees the link in the folder, so the error says where the link leads.
func explainMissing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	target, broken := os.Readlink(path)
	switch {
	case broken != nil:
		return err
	case strings.Contains(filepath.ToSlash(target), formats.AnnexObjects):
		return fmt.Errorf("is a git-annex link whose content is not here; fetch it with `git annex get`")
	default:
		return fmt.Errorf("is a link to %s, which does not exist", target)
	}
}

// unchanged returns an error if the file has changed since it was opened. A file on another machine
// is not checked here but on that machine.
//
// The check uses the open file, not the path. If the path now leads to another file, the opened one
// is still complete and can be read. The check compares size and modification time. It ignores the
// time of the last status change, because a change of permissions or names sets it too. Otherwise a
// backup that creates hard links would make an edited model unusable.
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

// inPlace returns an error if the file has changed, or if its path no longer leads to it.
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

// InPlace returns an error unless every file that the model is read from is unchanged and still at
// its path. Callers that pass the paths to another program call it after that program has read the
// files. If it returns nil, the program has read the right files.
func InPlace(m *Model) error {
	var errs []error
	for _, s := range sourcesOf(m) {
		errs = append(errs, s.inPlace())
	}
	return errors.Join(errs...)
}
