// Package flock locks files, so that files which a process left behind can be distinguished from
// those that another process is using: a lock ends with its process, however that ends.
package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrHeld reports that another process has the lock.
var ErrHeld = unix.EWOULDBLOCK

// Lock locks a file exclusively, or fails immediately: with ErrHeld if another process has the
// lock, or with another error if the file system does not support locks.
func Lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// IsAt reports whether path is a name of the open file. A process that locks a file which others
// may remove must check this after locking.
func IsAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
