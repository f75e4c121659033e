package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// A process locks the files that it uses. A file without a lock was left behind by a process that
// has ended, because the lock of a process ends with it, however it ends.

// ErrHeld is the error of Lock if another process has locked the file.
var ErrHeld = unix.EWOULDBLOCK

// Lock locks a file exclusively. It does not wait: it returns ErrHeld if another process has locked
// the file, and another error if the file system does not support locks.
func Lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// IsAt reports whether path still leads to the open file. Another process may have removed or
// replaced the file between opening and locking it, so check this after Lock.
func IsAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
