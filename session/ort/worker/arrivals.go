//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"lathe/session/ort/wire"
)

// arrivals generates the arrival times of requests for Binding.Rate. They form a Poisson process:
// requests arrive at random, whether or not earlier ones have been answered. The clock advances
// only while a block runs.
type arrivals struct {
	mean  float64 // mean nanoseconds between two arrivals
	rng   *rand.Rand
	due   []C.int64_t // arrival times of requests that have not begun
	last  float64     // arrival time of the latest request drawn so far
	clock C.int64_t
}

// newArrivals returns the arrivals for a rate in requests per second. It returns nil for a rate of
// 0, which means that runs follow each other.
func newArrivals(rate float64, seed int64) (*arrivals, error) {
	if rate == 0 {
		return nil, nil
	}
	if !(rate >= wire.MinRate && rate <= wire.MaxRate) {
		return nil, fmt.Errorf("%g requests a second, expected %g to %g", rate, float64(wire.MinRate), float64(wire.MaxRate))
	}
	return &arrivals{mean: 1e9 / rate, rng: rand.New(rand.NewPCG(uint64(seed), 0))}, nil
}

// draw adds random arrival times until at least n requests are due and the last of them has not
// arrived yet.
func (a *arrivals) draw(n int) {
	for len(a.due) < n || a.due[len(a.due)-1] <= a.clock {
		a.last += a.rng.ExpFloat64() * a.mean
		a.due = append(a.due, C.int64_t(min(a.last, math.MaxInt64/2)))
	}
}

// took removes the first n requests, whose runs have begun, and returns how many of the remaining
// ones have already arrived.
func (a *arrivals) took(n int) (waiting int64) {
	a.due = append(a.due[:0], a.due[n:]...)
	a.draw(1)
	for waiting < int64(len(a.due)) && a.due[waiting] <= a.clock {
		waiting++
	}
	return waiting
}

// answer runs a block in which each run answers one request, not before the request has arrived.
// The times in the result are from the arrival of a request to its answer.
func (s *session) answer(ctx context.Context, e extent) (*wire.Samples, error) {
	a := s.bound.arrivals
	a.draw(e.runs)
	var pinned runtime.Pinner
	defer pinned.Unpin()
	pinned.Pin(&a.due[0])
	before := a.clock
	q := C.struct_queue{due: &a.due[0], clock: a.clock}
	samples, err := s.run(ctx, s.bound.table, e, &q)
	a.clock = q.clock
	waiting := a.took(len(samples))
	if err == nil {
		err = ctx.Err() // a wait for the next request ends without an error if ctx ends
	}
	if err != nil {
		return nil, err
	}
	return &wire.Samples{Runs: durations(samples), Span: time.Duration(a.clock - before), Busy: time.Duration(q.busy), Waiting: waiting}, nil
}
