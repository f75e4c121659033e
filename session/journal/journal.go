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

// Put sets what the next Flush writes. It writes nothing itself, so it never delays the caller.
func (j *Journal) Put(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = &e
}

// Flush writes the entry that Put set last. It does nothing if that entry is already written. The
// file has either the new content or the old one, even if the process dies meanwhile.
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

// Close ends the journal and removes its files. It is for a workbench that ends normally. A later
// Flush writes nothing.
func (j *Journal) Close() error { return j.end(true) }

// Leave ends the journal and keeps its file, so that the next workbench can continue. It is for a
// workbench that has lost its terminal.
func (j *Journal) Leave() error { return j.end(false) }

// end ends the journal. If the files are to be removed, that is done before the lock is released.
// Otherwise another process could take them over in between.
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
