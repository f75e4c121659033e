package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"lathe/graphops/flock"

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
	err = flock.Lock(f)
	switch {
	case errors.Is(err, flock.ErrHeld):
		err = errHeld
	case err != nil:
		err = fmt.Errorf("%s: cannot be locked: %w", path, err)
	case !flock.IsAt(f, path):
		err = errHeld // whoever had it removed it meanwhile
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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
