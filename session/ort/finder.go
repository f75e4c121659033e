package ort

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A Finder chooses a library once and returns the same library to all callers. If none is usable, a
// call some time later searches again, because somebody may have installed one in the meantime. It is
// safe for concurrent use.
type Finder struct {
	env  Env
	life context.Context // ends the search; cancelled by Close
	stop context.CancelFunc
	now  func() time.Time

	mu     sync.Mutex
	last   *search // nil before the first one
	closed bool
	likely Library // empty as long as none was found
}

// search is one search for a library.
type search struct {
	done  chan struct{} // closed when the rest is set
	lib   Library
	err   error
	ended time.Time
}

// retryAfter is how long a failed search counts. Asking a Python interpreter takes a moment, and a
// command can ask for the library once for each model.
const retryAfter = 2 * time.Second

// NewFinder returns a Finder that starts searching when it is first asked. Call Close to end it.
func NewFinder(env Env) *Finder {
	f := &Finder{env: env, now: time.Now}
	f.life, f.stop = context.WithCancel(context.Background())
	return f
}

// Choose waits for the result of the function Choose. If ctx ends, only this call returns; the
// search continues for other callers.
func (f *Finder) Choose(ctx context.Context) (Library, error) {
	s := f.look()
	select {
	case <-s.done:
		return s.lib, s.err
	case <-ctx.Done():
		return Library{}, fmt.Errorf("looking for ONNX Runtime: %w", context.Cause(ctx))
	}
}

// Likely returns the first usable library that can be found without waiting for a Python
// interpreter. Choose returns the same one unless an interpreter finds one that is preferred. If ok
// is false, the caller has to use Choose.
func (f *Finder) Likely() (lib Library, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.likely.Path == "" {
		if lib, ok := likely(f.life, f.env, thisPlatform()); ok {
			f.likely = lib
		}
	}
	return f.likely, f.likely.Path != ""
}

// look returns the search whose result counts. It begins one before the first result, and some time after a failure.
func (f *Finder) look() *search {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil && (f.closed || !f.last.isPast(f.now())) {
		return f.last
	}
	s := &search{done: make(chan struct{})}
	f.last = s
	go func() {
		defer close(s.done)
		s.lib, s.err = Choose(f.life, f.env)
		s.ended = f.now()
	}()
	return s
}

// isPast reports whether a search has failed long ago.
func (s *search) isPast(now time.Time) bool {
	select {
	case <-s.done:
		return s.err != nil && now.Sub(s.ended) >= retryAfter
	default:
		return false
	}
}

// Close ends a search that is running, with the programs that it started, and waits until they have
// ended. If the search has already finished, its result stays available.
func (f *Finder) Close() {
	f.stop()
	f.mu.Lock()
	f.closed = true
	if f.last == nil {
		f.last = &search{done: make(chan struct{}), err: fmt.Errorf("looking for ONNX Runtime: %w", f.life.Err())}
		close(f.last.done)
	}
	s := f.last
	f.mu.Unlock()
	<-s.done
}
