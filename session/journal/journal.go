package journal

import (
	"context"
	"os"
	"sync"
)

// Journal is the file of one running workbench. Its methods may be called from
// several goroutines.
type Journal struct {
	store Store
	base  string // path without extension
	lock  *os.File

	writing sync.Mutex // held while a file is written
	mu      sync.Mutex
	next    *Entry // set by Put and not written yet
	closed  bool
}

// Put sets the entry that the next Flush writes. It does not write, so it may be called where a
// delay would be visible.
func (j *Journal) Put(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = &e
}

// Flush writes the last entry of Put, completely or not at all, unless it is written already. It
// skips earlier entries.
func (j *Journal) Flush(ctx context.Context) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	e, ok := j.take()
	if !ok {
		return nil
	}
	return j.store.write(ctx, j.base+".yaml", func() ([]byte, error) { return encode(e, j.store.Now()) })
}

func (j *Journal) take() (e Entry, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.next == nil {
		return e, false
	}
	e = *j.next
	j.next = nil
	return e, true
}

// Close ends the journal and removes it, because the workbench ended normally. A later Flush writes
// nothing.
func (j *Journal) Close() error { return j.end(true) }

// Leave ends the journal and keeps the file for the next start, because the terminal was lost.
func (j *Journal) Leave() error { return j.end(false) }

// end closes the journal. It removes the files before it releases the lock, because the lock is
// what claims them.
func (j *Journal) end(discard bool) error {
	j.mu.Lock()
	closed := j.closed
	j.closed = true
	j.mu.Unlock()
	if closed {
		return nil
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	defer j.lock.Close()
	if !discard {
		return nil
	}
	return remove(j.base+".yaml", j.base+".lock")
}
