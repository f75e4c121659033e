// Package task answers questions in the background of a terminal program. A task has one question
// at a time: a new one cancels the one before it, whose answer is then dropped. All methods are for
// the goroutine of Update; only the work of a question runs elsewhere.
package task

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// Runner is where questions are answered: what ends all work, and the clock.
type Runner struct {
	Ctx   context.Context
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	// Look is the time between two looks at the progress of a question.
	Look time.Duration
}

// Question is what a task is asked.
type Question[T any] struct {
	// Doing says what the work does, for the error of a panic.
	Doing string
	// Pause is how long the work waits before it begins. If another question is asked in the
	// meantime, it never begins.
	Pause time.Duration
	// Work finds the answer. It stops when ctx ends.
	Work func(ctx context.Context, report Report) (T, error)
	// Take gets the answer, unless the task has been stopped or asked something else. A panic of the
	// work is an error.
	Take func(answer T, err error) tea.Cmd
	// Watched says that Progress and Elapsed are shown, so that the screen must be updated from time
	// to time while the work runs.
	Watched bool
}

// Report is called by work with its progress.
type Report func(session.Progress)

// Message is sent to the program when an answer has arrived, or when it is time to look at the
// progress of a question.
type Message struct{ take func() tea.Cmd }

// Take must be called by Update.
func (m Message) Take() tea.Cmd { return m.take() }

// Task is a place for one question at a time. Its zero value is ready for use. It must not be copied
// while a question is open.
type Task[T any] struct{ now *run }

// run is a question that is being answered.
type run struct {
	runner   *Runner
	cancel   context.CancelFunc
	ended    chan struct{} // closed when the work has returned
	began    time.Time
	heard    atomic.Pointer[session.Progress]
	looked   bool
	progress session.Progress // at the last look
	elapsed  time.Duration
}

// Ask asks a question in place of the one before it.
func (t *Task[T]) Ask(r *Runner, q Question[T]) tea.Cmd {
	t.Stop()
	ctx, cancel := context.WithCancel(r.Ctx)
	now := &run{runner: r, cancel: cancel, ended: make(chan struct{}), began: r.Now()}
	t.now = now
	work := func() tea.Msg {
		defer close(now.ended)
		if !r.wait(ctx, q.Pause) {
			return nil
		}
		answer, err := guarded(ctx, q, now.report)
		if ctx.Err() != nil {
			return nil
		}
		return Message{func() tea.Cmd {
			if t.now != now {
				return nil
			}
			t.Stop()
			return q.Take(answer, err)
		}}
	}
	if !q.Watched {
		return work
	}
	return tea.Batch(work, t.watch(now))
}

// wait waits for a pause. It returns false if ctx has ended before.
func (r *Runner) wait(ctx context.Context, pause time.Duration) bool {
	if pause > 0 {
		select {
		case <-ctx.Done():
		case <-r.After(pause):
		}
	}
	return ctx.Err() == nil
}

// guarded does the work. Its panic becomes an error.
func guarded[T any](ctx context.Context, q Question[T], report Report) (answer T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %w", q.Doing, Panic(p))
		}
	}()
	return q.Work(ctx, report)
}

// Panic turns a panic into an error that says where it happened. It must be called while recovering.
func Panic(p any) error { return fmt.Errorf("internal error: %v\n%s", p, stack()) }

// stack returns the stack of a panic from where it happened to where the work was begun.
func stack() string {
	all := string(debug.Stack())
	_, below, ok := strings.Cut(all, "\npanic(")
	lines := strings.SplitN(below, "\n", 3) // the rest of that line, its position, and what panicked
	if !ok || len(lines) < 3 {
		return all
	}
	goroutine, _, _ := strings.Cut(all, "\n")
	inner, _, _ := strings.Cut(lines[2], "\nlathe/tui/task.guarded[")
	return goroutine + "\n" + inner
}

func (r *run) report(p session.Progress) { r.heard.Store(&p) }

// watch waits until it is time to look at the progress of a question.
func (t *Task[T]) watch(now *run) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-now.ended:
			return nil
		case <-now.runner.After(now.runner.Look):
		}
		return Message{func() tea.Cmd {
			if t.now != now {
				return nil
			}
			if p := now.heard.Load(); p != nil {
				now.progress = *p
			}
			now.looked, now.elapsed = true, now.runner.Now().Sub(now.began)
			return t.watch(now)
		}}
	}
}

// IsOpen reports whether a question is being answered.
func (t *Task[T]) IsOpen() bool { return t.now != nil }

// Stop cancels the open question. It returns false if no question is open.
func (t *Task[T]) Stop() bool {
	if t.now == nil {
		return false
	}
	t.now.cancel()
	t.now = nil
	return true
}

// Progress returns the progress of the open question at the last look, and the time since it was
// asked. It returns false before the first look and without a question.
func (t *Task[T]) Progress() (p session.Progress, elapsed time.Duration, ok bool) {
	if t.now == nil || !t.now.looked {
		return session.Progress{}, 0, false
	}
	return t.now.progress, t.now.elapsed, true
}
