package values

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lathe/graphops/execution"
	"lathe/session/reporting"
)

// Lease lets the workbench look at the values that a worker keeps. It ends the worker if none of
// the values was on screen for the time idle, because the values of a large model take much memory.
type lease struct {
	Probe *reporting.Probe
	idle  time.Duration

	mu    sync.Mutex
	timer *time.Timer // runs while none of the values is on screen
	over  bool
}

// newLease returns a lease for values that are on screen.
func newLease(p *reporting.Probe, idle time.Duration) *lease { return &lease{Probe: p, idle: idle} }

// Show says whether any of the values is on screen. While none is, the idle time runs.
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
		// Close fails if the worker did not end by itself and had to be killed. That does not
		// matter here.
		_ = l.Probe.Close()
	}
}

// isOver reports whether the worker was ended.
func (l *lease) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// look asks for a part of a value.
func (l *lease) look(ctx context.Context, want execution.Want) (execution.Got, error) {
	if l.isOver() {
		return execution.Got{}, l.why()
	}
	got, err := l.Probe.Look(ctx, want)
	if err != nil && l.isOver() {
		err = l.why()
	}
	return got, err
}

func (l *lease) why() error {
	return fmt.Errorf("nobody looked at the values for %v, so they were dropped to free memory", l.idle)
}
