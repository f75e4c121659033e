package layers

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// store is a temporary file without a name, for values that are too large for memory. Ranges that
// are not needed any more are used again, so the file is only as large as what was needed at one
// time. Its methods may be called from several goroutines.
type store struct {
	mu    sync.Mutex
	file  *os.File
	size  int64
	used  []*extent // in the order of the file
	wrote int64     // bytes written in total
	err   error     // the first error of creating, reading or writing it
}

// extent is a range of the file.
type extent struct {
	store *store
	at, n int64
}

// take reserves n bytes in the first gap that is large enough, or else at the end of the file.
func (s *store) take(n int64) *extent {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open()
	e := &extent{store: s, n: n}
	i := slices.IndexFunc(s.used, func(u *extent) bool {
		fits := u.at-e.at >= n
		if !fits {
			e.at = u.at + u.n
		}
		return fits
	})
	if i < 0 {
		i = len(s.used)
	}
	s.used = slices.Insert(s.used, i, e)
	s.size = max(s.size, e.at+n)
	return e
}

func (s *store) open() {
	if s.file != nil || s.err != nil {
		return
	}
	f, err := os.CreateTemp("", "lathe-*.values")
	if err == nil {
		err = os.Remove(f.Name()) // the system removes it when it is closed
		s.file = f
	}
	s.fails(err)
}

// fails keeps an error, if it is the first. The caller holds the lock.
func (s *store) fails(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("values that are too large for memory are stored in a file in %s: %w; set TMPDIR to a folder with enough space", os.TempDir(), err)
	}
}

// failed returns the first error of creating, reading or writing the file, or nil.
func (s *store) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// keep releases all ranges of the file that are not in needed.
func (s *store) keep(needed map[*extent]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = slices.DeleteFunc(s.used, func(e *extent) bool { return !needed[e] })
}

// close closes the file.
func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close() // nobody reads it again
	}
}

func (e *extent) ReadAt(p []byte, at int64) (int, error) {
	if e.store.file == nil {
		return 0, e.store.failed()
	}
	n, err := e.store.file.ReadAt(p, e.at+at)
	if err != nil {
		e.store.mu.Lock()
		defer e.store.mu.Unlock()
		e.store.fails(err)
	}
	return n, err
}

// writeAt writes bytes at an offset within the extent. An error is kept for failed.
func (e *extent) writeAt(p []byte, at int64) {
	if e.store.failed() != nil {
		return
	}
	_, err := e.store.file.WriteAt(p, e.at+at)
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	e.store.wrote += int64(len(p))
	e.store.fails(err)
}
