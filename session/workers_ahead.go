package session

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"lathe/session/ort"
)

// Finding a library and starting a worker on it takes longer than most of what a step does before
// it needs one. Between Prepare and its end one worker, the spare, waits for the next model: one
// that starts ahead, or one whose model before was closed well.

// spare is a worker that has no model.
type spare struct {
	memory int64 // its limit
	used   bool  // it has had a model
	cancel context.CancelFunc
	ready  chan struct{} // closed when what follows is there
	lib    ort.Library
	client *ort.Client // nil where err says why it did not start
	err    error
}

// Prepare starts to make ready what will be needed for models that are run as o says. end silently
// ends what was not needed: errors go to the code that needs it. The end of ctx ends what is under
// way.
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

// lookAhead looks for the library until end.
func (w *Workers) lookAhead(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Library(ctx) // who needs it asks again
	}()
	return func() {
		cancel()
		<-done
	}
}

// unprepare is the end of one Prepare. The last one ends the spare.
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

// end ends a worker that nobody needs, or its start. s may be nil.
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
				w.lookAhead(ctx) // who takes the worker asks which it should have been
			}
			s.startLikely(ctx, w, o)
		}
		if s.client == nil {
			if s.lib, s.err = w.Library(ctx); s.err == nil {
				s.client, s.err = w.Start(ctx, s.lib, o)
			}
		}
		if ctx.Err() != nil && s.client == nil {
			s.lib = ort.Library{} // what was broken off says nothing of any
		}
	}()
	return s
}

// startLikely starts a worker on the library that will most likely be chosen. takeSpare checks
// whether it was.
func (s *spare) startLikely(ctx context.Context, w *Workers, o Execution) {
	lib, ok := w.Likely()
	if !ok {
		return
	}
	client, err := w.Start(ctx, lib, o)
	if err != nil {
		return // it is told where the library is chosen
	}
	s.lib, s.client = lib, client
}

// sameLibrary reports whether a worker for one is a worker for the other.
func sameLibrary(a, b ort.Library) bool {
	return a.Path == b.Path && slices.Equal(a.LibraryDirs, b.LibraryDirs)
}

// takeSpare returns the spare if it fits, or nil if there is none that does. The error is that of
// its start, if the library is the same.
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

// reusable reports whether the worker of a model may be used for another one before and after it:
// the model leaves nothing but memory behind.
func (o Execution) reusable() bool {
	return o.Reuse && o.On == "" && len(o.Providers) == 0 && len(o.Config) == 0 && len(o.CustomOps) == 0 &&
		o.MemoryLimit == 0 && !o.Placement && !o.Profile && !o.Dump
}

// defaultReused is the most memory of its own that a worker may hold to be used again, in bytes. The
// library takes some 40 MB; what a large model leaves beyond this would stay as long as the work.
const defaultReused = 512 << 20

// passOn ends a session and keeps its worker for the next one, if it may be needed and this is
// safe: no request has failed there, and the model's memory was freed.
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

// keep makes a worker the spare, unless there is one or it cannot be needed any more.
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
