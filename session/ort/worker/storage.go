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

	"lathe/graphops/durable"
	"lathe/session/ort/wire"
)

// storage is the folder for files that the client sends and the library writes. It belongs to this
// worker only, is created when it is first needed, and is removed when the worker ends. A lock
// distinguishes it from folders of workers that were killed.
type storage struct {
	parent string

	mu     sync.Mutex
	root   string // empty until it is needed
	lock   *os.File
	count  int
	closed bool
}

const (
	storageLock = "lock"
	// youngStorage is the age up to which a folder without a lock may belong to a worker that is
	// about to create its lock.
	youngStorage = time.Minute
)

var errEnding = errors.New("the worker is ending")

// folder creates an empty folder inside the storage and returns its path.
func (s *storage) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errEnding
	}
	if err := s.ensure(); err != nil {
		return "", err
	}
	s.count++
	dir := filepath.Join(s.root, strconv.Itoa(s.count))
	return dir, os.Mkdir(dir, 0o700)
}

// exists creates the storage's own folder, unless it exists, and returns its path.
func (s *storage) exists() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errEnding
	}
	err := s.ensure()
	return s.root, err
}

func (s *storage) ensure() error {
	if s.root == "" {
		go removeStale(s.parent)
	}
	for s.root == "" {
		if err := s.make(); err != nil {
			return fmt.Errorf("creating the worker's folder for files: %w", err)
		}
	}
	return nil
}

// make creates and locks the storage's folder. If another worker took the folder for a stale one
// and removed it before it was locked, make leaves root empty, and the caller tries again.
func (s *storage) make() error {
	root, err := os.MkdirTemp(s.parent, wire.StoragePrefix) // created with mode 0700
	if err != nil {
		return err
	}
	name := filepath.Join(root, storageLock)
	lock, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = durable.Lock(lock)
	}
	switch {
	case errors.Is(err, durable.ErrHeld), err == nil && !durable.IsAt(lock, name):
		return lock.Close()
	case err != nil:
		return errors.Join(err, lock.Close(), os.RemoveAll(root))
	}
	s.root, s.lock = root, lock
	return nil
}

// remove deletes the storage's folder. If that fails, a later worker deletes it with removeStale.
func (s *storage) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.root != "" {
		empty(s.root)
		_ = os.Remove(s.root)
		_ = s.lock.Close()
		s.root = ""
	}
}

// empty removes what is in a worker's folder, the lock last, because until then it identifies the folder.
// os.RemoveAll would open the parent of the folder, which the sandbox forbids.
func empty(root string) {
	list, err := os.ReadDir(root)
	if err != nil {
		return // a later worker tries again
	}
	for _, e := range list {
		if e.Name() != storageLock {
			_ = os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
	_ = os.Remove(filepath.Join(root, storageLock))
}

// removeStale removes the folders that killed workers of this user left behind.
func removeStale(parent string) {
	list, err := os.ReadDir(parent)
	if err != nil {
		return // then nothing can be stored there either
	}
	for _, e := range list {
		if e.IsDir() && strings.HasPrefix(e.Name(), wire.StoragePrefix) {
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
		return // another user's folder
	}
	defer lock.Close()
	if durable.Lock(lock) != nil {
		return
	}
	empty(root)
	_ = os.Remove(root)
}
