package runtime

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"lathe/session/ort"
)

// Finding a library and starting a worker takes longer than most steps need before their first run.
// So between a call of Prepare and the call of its end function, one worker, called the spare, is
// kept ready for the next model. It was either started early, or has run another model, which was
// closed without errors.

// spare is a worker that has no model at present. It may still be starting.
type spare struct {
	memory int64 // its memory limit
	beside bool  // it knows the libraries of providers beside the CPU
	used   bool  // it has run a model before
	cancel context.CancelFunc
	ready  chan struct{} // closed when the fields below are set
	lib    ort.Library
	client *ort.Client // nil if it did not start; err then has the reason
	err    error
}

// Prepare starts in the background what models that run with the options o will need. The caller
// calls end when nothing more will be needed. Errors are not reported here: they appear when a
// model needs a worker. If ctx ends, the preparation stops.
func (w *Workers) Prepare(ctx context.Context, need Need, o Execution) (end func()) {
	if o.On != "" {
		return func() {}
	}
	looked := func() {}
	if need == NeedVersion {
		looked = w.lookAhead(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prepared++
	if need == NeedWorker && w.spare == nil {
		w.spare = w.startAhead(ctx, o)
	}
	return sync.OnceFunc(func() {
		looked()
		w.unprepare()
	})
}

// lookAhead searches for the library in the background. end stops the search and waits for it.
func (w *Workers) lookAhead(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Library(ctx) // the result is cached; code that needs it asks again
	}()
	return func() {
		cancel()
		<-done
	}
}

// unprepare ends the effect of one call of Prepare. When the last one ends, so does the spare.
func (w *Workers) unprepare() {
	w.mu.Lock()
	w.prepared--
	var left *spare
	if w.prepared == 0 {
		left, w.spare = w.spare, nil
	}
	w.mu.Unlock()
	left.end()
}

// end ends the spare's worker, even if it is still starting. s may be nil.
func (s *spare) end() {
	if s == nil {
		return
	}
	s.cancel()
	<-s.ready
	if s.client != nil {
		discard(s.client)
	}
}

// startAhead starts a spare in the background. First it tries the library that will most likely be
// chosen.
func (w *Workers) startAhead(ctx context.Context, o Execution) *spare {
	ctx, cancel := context.WithCancel(ctx)
	s := &spare{memory: o.MemoryLimit, beside: o.beside(), cancel: cancel, ready: make(chan struct{})}
	go func() {
		defer close(s.ready)
		if w.Likely != nil {
			if !o.AnyLibrary {
				w.lookAhead(ctx) // so that takeSpare need not wait for the choice
			}
			s.startLikely(ctx, w, o)
		}
		if s.client == nil {
			if s.lib, s.err = w.Library(ctx); s.err == nil {
				s.client, s.err = w.start(ctx, s.lib, o)
			}
		}
		if ctx.Err() != nil && s.client == nil {
			s.lib = ort.Library{} // an interrupted start says nothing about a library
		}
	}()
	return s
}

// startLikely starts a worker with the library that will most likely be chosen. Whether it was
// really chosen is checked by takeSpare.
func (s *spare) startLikely(ctx context.Context, w *Workers, o Execution) {
	lib, ok := w.Likely()
	if !ok {
		return
	}
	client, err := w.start(ctx, lib, o)
	if err != nil {
		return // the error is reported if the library is chosen
	}
	s.lib, s.client = lib, client
}

// sameLibrary reports whether a worker that was started for library a can be used for b.
func sameLibrary(a, b ort.Library) bool {
	return a.Path == b.Path && slices.Equal(a.LibraryDirs, b.LibraryDirs)
}

// takeSpare returns the spare if it has the library and the limits that are needed, and nil
// otherwise. If the spare was for this library but could not start, it returns the error of the
// start.
func (w *Workers) takeSpare(ctx context.Context, lib ort.Library, o Execution) (*spare, error) {
	w.mu.Lock()
	s := w.spare
	if s == nil || s.memory != o.MemoryLimit || s.used && !o.reusable() || o.beside() && !s.beside {
		w.mu.Unlock()
		return nil, nil
	}
	w.spare = nil
	w.mu.Unlock()
	select {
	case <-s.ready:
	case <-ctx.Done():
		s.end()
		return nil, context.Cause(ctx)
	}
	switch {
	case s.client != nil && sameLibrary(s.lib, lib) && !s.client.Gone():
		s.client.SetLimit(o.Timeout)
		return s, nil
	case s.client == nil && sameLibrary(s.lib, lib):
		return nil, s.err
	}
	s.end()
	return nil, nil
}

// reusable reports whether a model with these options may share a worker with other models. The
// options must be such that the model leaves nothing but memory behind.
func (o Execution) reusable() bool {
	return o.Reuse && o.On == "" && len(o.Providers) == 0 && len(o.Config) == 0 && len(o.CustomOps) == 0 &&
		o.MemoryLimit == 0 && !o.Placement && !o.Profile && !o.Dump
}

// defaultReused is how much memory, in bytes, a worker may hold and still get another model. The
// library itself takes about 40 MB. What a large model leaves beyond that would stay allocated
// until the worker ends.
const defaultReused = 512 << 20

// passOn closes the session l and makes its worker the spare. It ends the worker instead if no
// further model is expected, if a request has failed, or if the worker still holds too much memory.
func (w *Workers) passOn(l *loaded, lib ort.Library) error {
	w.mu.Lock()
	wanted := w.prepared > 0 && w.spare == nil
	w.mu.Unlock()
	if !wanted || !l.client.IsSound() || l.session.Close() != nil {
		return l.client.Close()
	}
	held, known := l.client.OwnMemory()
	if !known || held > cmp.Or(w.maxReused, defaultReused) || !l.client.IsSound() || l.client.Gone() || !w.keep(lib, l.client) {
		return l.client.Close()
	}
	return nil
}

// keep makes a worker the spare. It reports false if there is a spare already or nothing is
// prepared any more.
func (w *Workers) keep(lib ort.Library, client *ort.Client) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prepared == 0 || w.spare != nil {
		return false
	}
	w.spare = &spare{used: true, cancel: func() {}, ready: make(chan struct{}), lib: lib, client: client}
	close(w.spare.ready)
	return true
}
