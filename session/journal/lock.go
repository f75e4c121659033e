package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"lathe/graphops/durable"

	"golang.org/x/sys/unix"
)

// errHeld is the error of claim if another process holds the lock, or is just removing the file.
var errHeld = errors.New("is in use by another process")

// claim opens a lock file and locks it. The lock is held until the file is closed. flags can allow
// it to create the file. If the file system does not support locks, claim returns an error: a
// journal in use would look like one that was left behind.
func claim(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|flags, 0o600)
	if err != nil {
		return nil, err
	}
	err = durable.Lock(f)
	switch {
	case errors.Is(err, durable.ErrHeld):
		err = errHeld
	case err != nil:
		err = fmt.Errorf("%s: cannot be locked: %w", path, err)
	case !durable.IsAt(f, path):
		err = errHeld // the holder removed it in the meantime
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// remove removes files. A file that is gone already is not an error.
func remove(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
