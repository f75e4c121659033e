package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"lathe/graphops"
)

// Job is a step that runs in the background, on a snapshot of the model.
type Job struct {
	ID      int
	Step    Step
	Started time.Time

	cancel context.CancelFunc
	done   chan struct{}
	now    func() time.Time

	mu       sync.Mutex
	progress Progress
	result   Result
	err      error
	ended    time.Time
}

// Jobs starts jobs and numbers them.
type Jobs struct {
	// Now returns the current time.
	Now  func() time.Time
	next int
}

// Start runs a step on a model in its own goroutine. A panic in it becomes the
// job's error.
func (js *Jobs) Start(ctx context.Context, step Step, env Env, m *graphops.Model) *Job {
	js.next++
	ctx, cancel := context.WithCancel(ctx)
	j := &Job{ID: js.next, Step: step, Started: js.Now(), cancel: cancel, done: make(chan struct{}), now: js.Now}
	env.Progress = func(p Progress) {
		j.mu.Lock()
		j.progress = p
		j.mu.Unlock()
	}
	go j.run(ctx, env, m)
	return j
}

func (j *Job) run(ctx context.Context, env Env, m *graphops.Model) {
	defer close(j.done)
	defer j.cancel()
	defer env.Prepare(ctx, j.Step)()
	result, err := protect(func() (Result, error) { return j.Step.Run(ctx, env, m) })
	j.mu.Lock()
	j.result, j.err, j.ended = result, err, j.now()
	j.mu.Unlock()
}

// protect turns a panic into an error: a bug in one step must not end the person's session.
func protect(f func() (Result, error)) (r Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// Cancel asks the job to stop. It returns at once.
func (j *Job) Cancel() { j.cancel() }

// Done is closed when the job has ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// Progress returns the progress of the job, and how long it has run.
func (j *Job) Progress() (Progress, time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended.IsZero() {
		return j.progress, j.ended.Sub(j.Started)
	}
	return j.progress, j.now().Sub(j.Started)
}

// Result returns the result of the job. It is valid only after Done is closed.
func (j *Job) Result() (Result, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.result, j.err
}
