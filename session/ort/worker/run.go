//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"errors"
	"time"

	"lathe/session/ort/wire"
)

// run performs up to maxRuns runs within limit on b and returns the nanoseconds
// of each, in memory that the next call uses again.
func (s *session) run(ctx context.Context, b *bindings, maxRuns int, limit time.Duration) ([]C.int64_t, error) {
	if cap(s.samples) < maxRuns {
		s.samples = make([]C.int64_t, maxRuns)
	}
	samples := s.samples[:maxRuns]
	var runs C.int64_t
	err := withRunOptions(ctx, func(options *C.OrtRunOptions) error {
		return check(C.run_block(s.handle, options, b.handle, C.int64_t(maxRuns), C.int64_t(limit), &samples[0], &runs))
	})
	return samples[:runs], err
}

// block is a timed block on what Bind left.
func (s *session) block(ctx context.Context, maxRuns int, limit time.Duration) (*wire.Samples, error) {
	if s.bound == nil {
		return nil, errors.New("a block needs bound inputs: Bind comes first")
	}
	samples, err := s.run(ctx, s.bound, maxRuns, limit)
	if err != nil {
		return nil, err
	}
	reply := &wire.Samples{RunNs: make([]int64, len(samples))}
	for i, ns := range samples {
		reply.RunNs[i] = int64(ns)
	}
	return reply, nil
}

// withRunOptions calls run with options whose terminate flag is set when ctx
// ends. The flag stays set, so options serve one request.
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

// onCancel calls f when ctx ends, until stop is called. Stop waits for a call
// in progress, so that what f uses can be released after it.
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
