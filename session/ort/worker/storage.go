//go:build cgo

package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"lathe/graphops/flock"
)

// storage is the folder for what a client sends and the library writes. It is nobody else's, made when it is
// needed, and goes with the worker; a lock tells it from those of workers that were
// killed.
type storage struct {
	parent string

	mu     sync.Mutex
	root   string // "" until it is needed
	lock   *os.File
	count  int
	closed bool
}

const (
	storagePrefix = "lathe-worker-"
	storageLock   = "lock"
	// youngStorage has no lock yet, perhaps.
	youngStorage = time.Minute
)

var errEnding = errors.New("the worker is ending")

// folder makes a new folder inside.
func (s *storage) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errEnding
	}
	if s.root == "" {
		go removeStale(s.parent)
	}
	for s.root == "" {
		if err := s.make(); err != nil {
			return "", fmt.Errorf("a folder for what is kept: %w", err)
		}
	}
	s.count++
	dir := filepath.Join(s.root, strconv.Itoa(s.count))
	return dir, os.Mkdir(dir, 0o700)
}

// make makes the folder, or leaves root empty where another worker took it for a
// stale one before it was locked.
func (s *storage) make() error {
	root, err := os.MkdirTemp(s.parent, storagePrefix) // with 0700
	if err != nil {
		return err
	}
	name := filepath.Join(root, storageLock)
	lock, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = flock.Lock(lock)
	}
	switch {
	case errors.Is(err, flock.ErrHeld), err == nil && !flock.IsAt(lock, name):
		return lock.Close()
	case err != nil:
		return errors.Join(err, lock.Close(), os.RemoveAll(root))
	}
	s.root, s.lock = root, lock
	return nil
}

// remove removes what was kept. What cannot be removed the next worker tries again.
func (s *storage) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.root != "" {
		_ = os.RemoveAll(s.root)
		_ = s.lock.Close()
		s.root = ""
	}
}

// removeStale removes the folders that workers of this user left when they were
// killed. The lock goes last: until then the folder is known for what it is.
func removeStale(parent string) {
	list, err := os.ReadDir(parent)
	if err != nil {
		return // and nothing is sent there either
	}
	for _, e := range list {
		if e.IsDir() && strings.HasPrefix(e.Name(), storagePrefix) {
			removeIfStale(filepath.Join(parent, e.Name()))
		}
	}
}

func removeIfStale(root string) {
	lock, err := os.OpenFile(filepath.Join(root, storageLock), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Stat(root); err == nil && time.Since(info.ModTime()) > youngStorage {
			_ = os.RemoveAll(root)
		}
		return
	}
	if err != nil {
		return // another user's
	}
	defer lock.Close()
	if flock.Lock(lock) != nil {
		return
	}
	list, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range list {
		if e.Name() != storageLock {
			_ = os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
	_ = os.RemoveAll(root)
}
