package tui

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lathe/graphops"
	"lathe/session"
)

// lease is the right to look at the values that a worker holds. It ends when nobody has looked for
// a while, because the values of a large model take much memory.
type lease struct {
	probe *session.Probe
	idle  time.Duration

	mu    sync.Mutex
	timer *time.Timer // runs while none of the values is in view
	over  bool
}

// newLease starts a lease with the values in view.
func newLease(p *session.Probe, idle time.Duration) *lease { return &lease{probe: p, idle: idle} }

// show says whether a value is in view. The idle time counts while none is.
func (l *lease) show(shows bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case shows && l.timer != nil:
		l.timer.Stop()
		l.timer = nil
	case !shows && l.timer == nil && !l.over:
		l.timer = time.AfterFunc(l.idle, l.end)
	}
}

// end ends the worker, and waits until it has ended.
func (l *lease) end() {
	l.mu.Lock()
	was := l.over
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	if !was {
		// It does not matter if the worker had to be killed.
		_ = l.probe.Close()
	}
}

// isOver reports whether the worker was ended.
func (l *lease) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// look asks for a part of a value.
func (l *lease) look(ctx context.Context, want graphops.Want) (graphops.Got, error) {
	if l.isOver() {
		return graphops.Got{}, l.why()
	}
	got, err := l.probe.Look(ctx, want)
	if err != nil && l.isOver() {
		err = l.why()
	}
	return got, err
}

func (l *lease) why() error {
	return fmt.Errorf("nobody looked at the values for %v, so they were let go", l.idle)
}
