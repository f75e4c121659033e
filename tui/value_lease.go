package tui

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lathe/graphops"
	"lathe/session"
)

// lease is the right to look at what a worker holds. It ends when nobody has
// looked for a while: the values of a large model take much memory.
type lease struct {
	probe *session.Probe
	idle  time.Duration

	mu    sync.Mutex
	timer *time.Timer // runs while nothing of it shows
	over  bool
}

// newLease begins with the values shown.
func newLease(p *session.Probe, idle time.Duration) *lease { return &lease{probe: p, idle: idle} }

// show tells whether a value shows. Time counts while none does.
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

// end ends the worker and waits for that.
func (l *lease) end() {
	l.mu.Lock()
	was := l.over
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	if !was {
		// A worker that had to be killed is gone as well.
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
