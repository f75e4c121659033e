// Package flock locks files, so that what a process left behind can be told from
// what another one still works on: a lock ends with its process, however that
// ends.
package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrHeld tells that somebody else has the lock.
var ErrHeld = unix.EWOULDBLOCK

// Lock locks a file for this process alone, or fails at once: with ErrHeld where
// somebody else has it, with another error where the file system has no locks.
func Lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// IsAt reports whether path is a name of the open file. Whoever locks a file that
// others may remove asks it behind the lock.
func IsAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
