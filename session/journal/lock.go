package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// errHeld is about a lock that another process holds, or that is being removed.
var errHeld = errors.New("is in use by another process")

// claim opens a lock file and locks it for this process, until it is closed. flags
// say how the file may be created. A file system without locks is an error: there
// nobody could tell a journal that is in use from one that was left.
func claim(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|flags, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(f)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = errHeld
	case err != nil:
		err = fmt.Errorf("%s: cannot be locked: %w", path, err)
	case !isAt(f, path):
		err = errHeld // whoever had it removed it meanwhile
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// isAt reports whether path is a name of the open file.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// remove removes files; those that are gone already are no error.
func remove(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
