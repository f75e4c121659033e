package ort

import (
	"context"
	"fmt"
	"sync"
)

// A Finder chooses a library once and returns the same library to all callers. It is safe for
// concurrent use.
type Finder struct {
	env    Env
	life   context.Context // ends the search; cancelled by Close
	stop   context.CancelFunc
	begin  sync.Once
	chosen chan struct{} // closed when lib and err are set
	lib    Library
	err    error
	likely func() (Library, bool)
}

// NewFinder returns a Finder that starts searching when it is first asked. Call Close to end it.
func NewFinder(env Env) *Finder {
	f := &Finder{env: env, chosen: make(chan struct{})}
	f.life, f.stop = context.WithCancel(context.Background())
	f.likely = sync.OnceValues(func() (Library, bool) { return likely(f.life, env, thisPlatform()) })
	return f
}

// Choose waits for the result of the function Choose. If ctx ends, only this call returns; the
// search continues for other callers.
func (f *Finder) Choose(ctx context.Context) (Library, error) {
	f.look()
	select {
	case <-f.chosen:
		return f.lib, f.err
	case <-ctx.Done():
		return Library{}, fmt.Errorf("looking for ONNX Runtime: %w", context.Cause(ctx))
	}
}

// Likely returns the first usable library that can be found without waiting for a Python
// interpreter. Choose returns the same one unless an interpreter finds one that is preferred. If ok
// is false, the caller has to use Choose.
func (f *Finder) Likely() (lib Library, ok bool) { return f.likely() }

func (f *Finder) look() {
	f.begin.Do(func() {
		go func() {
			defer close(f.chosen)
			f.lib, f.err = Choose(f.life, f.env)
		}()
	})
}

// Close ends a search that is running, with the programs that it started, and waits until they have
// ended. If the search has already finished, its result stays available.
func (f *Finder) Close() {
	f.stop()
	f.begin.Do(func() {
		f.err = fmt.Errorf("looking for ONNX Runtime: %w", f.life.Err())
		close(f.chosen)
	})
	<-f.chosen
}
