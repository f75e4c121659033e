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
	next    *Entry // put and not yet written
	closed  bool
}

// Put notes what the next Flush writes. It does no more than that, so that it can
// be called where a wait would be seen, and in the order of what happens.
func (j *Journal) Put(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = &e
}

// Flush writes the last entry that was put, whole or not at all, unless it is
// written already. Entries that were overtaken are skipped.
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

// Close ends the journal and removes it: the workbench came to a clean end. A
// Flush after it writes nothing.
func (j *Journal) Close() error { return j.end(true) }

// Leave ends the journal and leaves what was written for the next start: the
// terminal went away, the person did not.
func (j *Journal) Leave() error { return j.end(false) }

// end closes the journal. With its lock goes the claim on it, so the files go
// first.
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
