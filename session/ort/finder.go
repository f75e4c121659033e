package ort

import (
	"context"
	"fmt"
	"sync"
)

// A Finder chooses a library once, for all that ask, and keeps the answer. Several goroutines may
// use it.
type Finder struct {
	env    Env
	life   context.Context // of the search; ends with Close
	stop   context.CancelFunc
	begin  sync.Once
	chosen chan struct{} // closed when lib and err are there
	lib    Library
	err    error
	likely func() (Library, bool)
}

// NewFinder makes a Finder, which looks when it is asked. Close ends it.
func NewFinder(env Env) *Finder {
	f := &Finder{env: env, chosen: make(chan struct{})}
	f.life, f.stop = context.WithCancel(context.Background())
	f.likely = sync.OnceValues(func() (Library, bool) { return likely(f.life, env, thisPlatform()) })
	return f
}

// Choose is the package's Choose. The end of ctx ends the waiting and not the search, which others
// may wait for.
func (f *Finder) Choose(ctx context.Context) (Library, error) {
	f.look()
	select {
	case <-f.chosen:
		return f.lib, f.err
	case <-ctx.Done():
		return Library{}, fmt.Errorf("looking for ONNX Runtime: %w", context.Cause(ctx))
	}
}

// Likely tells what Choose comes to unless an interpreter knows a library, which may take a
// multiple of the time. Where it is not ok, Choose alone can tell.
func (f *Finder) Likely() (lib Library, ok bool) { return f.likely() }

func (f *Finder) look() {
	f.begin.Do(func() {
		go func() {
			defer close(f.chosen)
			f.lib, f.err = Choose(f.life, f.env)
		}()
	})
}

// Close ends a search, with the programs that were asked, and waits for that. What was found stays.
func (f *Finder) Close() {
	f.stop()
	f.begin.Do(func() {
		f.err = fmt.Errorf("looking for ONNX Runtime: %w", f.life.Err())
		close(f.chosen)
	})
	<-f.chosen
}
