package session

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"lathe/session/ort"
)

// Finding a library and starting a worker takes longer than what most steps do before they need
// one. Between Prepare and its end, one worker, the spare, waits for the next model. It is a worker
// that was started early, or one whose previous model was closed without errors.

// spare is a worker without a model.
type spare struct {
	memory int64 // its memory limit
	used   bool  // it has had a model
	cancel context.CancelFunc
	ready  chan struct{} // closed when the fields below are set
	lib    ort.Library
	client *ort.Client // nil if it did not start; err then has the reason
	err    error
}

// Prepare starts to make ready what models that run as o says will need. end stops what was not
// needed, and reports no errors: code that needs a worker later gets them. If ctx ends, the
// preparation stops.
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

// lookAhead searches for the library until end is called.
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

// unprepare ends one Prepare. The last one ends the spare.
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

// end ends a worker that is not needed, or its start. s may be nil.
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

// startAhead starts a spare.
func (w *Workers) startAhead(ctx context.Context, o Execution) *spare {
	ctx, cancel := context.WithCancel(ctx)
	s := &spare{memory: o.MemoryLimit, cancel: cancel, ready: make(chan struct{})}
	go func() {
		defer close(s.ready)
		if w.Likely != nil {
			if !o.AnyLibrary {
				w.lookAhead(ctx) // takeSpare asks which library it should have been
			}
			s.startLikely(ctx, w, o)
		}
		if s.client == nil {
			if s.lib, s.err = w.Library(ctx); s.err == nil {
				s.client, s.err = w.Start(ctx, s.lib, o)
			}
		}
		if ctx.Err() != nil && s.client == nil {
			s.lib = ort.Library{} // an interrupted start says nothing about a library
		}
	}()
	return s
}

// startLikely starts a worker with the library that will most likely be chosen. takeSpare checks
// whether it was chosen.
func (s *spare) startLikely(ctx context.Context, w *Workers, o Execution) {
	lib, ok := w.Likely()
	if !ok {
		return
	}
	client, err := w.Start(ctx, lib, o)
	if err != nil {
		return // the error is reported if the library is chosen
	}
	s.lib, s.client = lib, client
}

// sameLibrary reports whether a worker for one library can be used for the other.
func sameLibrary(a, b ort.Library) bool {
	return a.Path == b.Path && slices.Equal(a.LibraryDirs, b.LibraryDirs)
}

// takeSpare returns the spare if it fits, or nil. The error is that of its start, if the library is
// the same.
func (w *Workers) takeSpare(ctx context.Context, lib ort.Library, o Execution) (*spare, error) {
	w.mu.Lock()
	s := w.spare
	if s == nil || s.memory != o.MemoryLimit || s.used && !o.reusable() {
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

// reusable reports whether the worker of a model may be used for other models before and after it:
// the model leaves nothing but memory behind.
func (o Execution) reusable() bool {
	return o.Reuse && o.On == "" && len(o.Providers) == 0 && len(o.Config) == 0 && len(o.CustomOps) == 0 &&
		o.MemoryLimit == 0 && !o.Placement && !o.Profile && !o.Dump
}

// defaultReused is the most memory, in bytes, that a worker may hold and still be used again. The
// library takes about 40 MB. Memory that a large model leaves beyond that would stay allocated as
// long as the step runs.
const defaultReused = 512 << 20

// passOn ends a session and keeps its worker for the next one. It does so only if a worker may
// still be needed, no request has failed, and the model's memory was freed.
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

// keep makes a worker the spare, unless there is one already or no worker can be needed.
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
