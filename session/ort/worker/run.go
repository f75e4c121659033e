//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lathe/session/ort/wire"
)

// extent limits a block to a number of runs and a time. If place is above 0, it selects the
// processor on which the block starts.
type extent struct {
	runs    int
	limit   time.Duration
	place   uint64
	replays bool // the runs replay a graph if the session captures one
}

// run runs one block, with one thread for each lane. If q is not nil, each run answers a request of
// the queue. run returns the time of each run in nanoseconds, in memory that the next call reuses.
func (s *session) run(ctx context.Context, on []C.struct_lane, e extent, q *C.struct_queue) ([]C.int64_t, error) {
	if cap(s.samples) < e.runs {
		s.samples = make([]C.int64_t, e.runs)
	}
	samples := s.samples[:e.runs]
	var runs C.int64_t
	stop := new(C.int)
	defer onCancel(ctx, func() { C.set_stop(stop) })()
	err := s.withRunOptions(ctx, e.replays, func(options *C.OrtRunOptions) error {
		return check(C.run_block(s.handle, options, &on[0], C.int(len(on)), C.uint64_t(e.place), C.int64_t(e.runs), C.int64_t(e.limit), q, stop, &samples[0], &runs))
	})
	return samples[:runs], err
}

// runOnce runs the session once on b, without a time limit.
func (s *session) runOnce(ctx context.Context, b *bindings) error {
	_, err := s.run(ctx, []C.struct_lane{b.lane()}, extent{runs: 1, limit: math.MaxInt64}, nil)
	return err
}

// block runs a block on the inputs of the last Bind and returns the times of its runs.
func (s *session) block(ctx context.Context, e extent) (*wire.Samples, error) {
	if s.bound == nil {
		return nil, errors.New("a block needs bound inputs: Bind comes first")
	}
	timed := s.repeat
	if s.bound.arrivals != nil {
		timed = s.answer
	}
	samples, err := timed(ctx, e)
	if err == nil && s.settles {
		settle(ctx)
	}
	return samples, err
}

// repeat runs a block in which each lane starts a run as soon as its previous run has ended.
func (s *session) repeat(ctx context.Context, e extent) (*wire.Samples, error) {
	samples, err := s.run(ctx, s.bound.table, e, nil)
	return &wire.Samples{Runs: durations(samples)}, err
}

func durations(samples []C.int64_t) []time.Duration {
	out := make([]time.Duration, len(samples))
	for i, ns := range samples {
		out[i] = time.Duration(ns)
	}
	return out
}

// restLook is how often settle checks the threads; restLimit is how long it waits for threads that
// never rest.
const (
	restLook  = time.Millisecond
	restLimit = 200 * time.Millisecond
	// how long settle waits if the system does not show which threads are running; ONNX Runtime's
	// threads spin for about 30 ms
	spinTime = 40 * time.Millisecond
)

// settle waits until the threads of ONNX Runtime have stopped spinning after a run, but not longer
// than restLimit.
func settle(ctx context.Context) {
	for begin := time.Now(); ctx.Err() == nil && time.Since(begin) < restLimit; time.Sleep(restLook) {
		running, known := runningThreads("/proc/self/task")
		if !known {
			time.Sleep(spinTime)
			return
		}
		if running <= 1 { // only this thread
			return
		}
	}
}

// runningThreads counts the threads of a process that run or wait for a processor. folder is the
// process's folder "task" in the proc file system; known is false if it does not exist. Threads
// that wait are included because they will continue spinning.
func runningThreads(folder string) (count int, known bool) {
	threads, err := os.ReadDir(folder)
	if err != nil {
		return 0, false
	}
	for _, t := range threads {
		stat, err := os.ReadFile(filepath.Join(folder, t.Name(), "stat"))
		if err != nil {
			continue // the thread has ended
		}
		// The state follows the name, which is in parentheses and can contain any character.
		_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
		if strings.HasPrefix(rest, "R") {
			count++
		}
	}
	return count, true
}

// withRunOptions calls run with new run options. If ctx ends, their terminate flag is set, which
// makes the runtime stop the run. The flag cannot be reset, so the options are used for one request
// only.
func withRunOptions(ctx context.Context, run func(*C.OrtRunOptions) error) error {
	var options *C.OrtRunOptions
	if err := check(C.ort_CreateRunOptions(&options)); err != nil {
		return err
	}
	defer C.ort_ReleaseRunOptions(options)
	stop := onCancel(ctx, func() { _ = check(C.ort_RunOptionsSetTerminate(options)) })
	defer stop()
	return run(options)
}

// onCancel calls f when ctx ends, unless stop is called first. If f is running, stop waits until it
// returns, so that everything f uses can be released afterwards.
func onCancel(ctx context.Context, f func()) (stop func()) {
	done := make(chan struct{})
	remove := context.AfterFunc(ctx, func() {
		defer close(done)
		f()
	})
	return func() {
		if !remove() {
			<-done
		}
	}
}
