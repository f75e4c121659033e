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

	"lathe/session/ort/wire"
)

// arrivals are requests that come at random, whether or not those before have been answered: a
// Poisson process. Its clock goes on only while blocks run.
type arrivals struct {
	mean  float64 // nanoseconds from one to the next
	rng   *rand.Rand
	due   []C.int64_t // of requests that are not begun
	last  float64     // when the latest was due that has been drawn
	clock C.int64_t
}

// newArrivals is nil for a rate of 0: then there is no queue.
func newArrivals(rate float64, seed int64) (*arrivals, error) {
	if rate == 0 {
		return nil, nil
	}
	if !(rate >= wire.MinRate && rate <= wire.MaxRate) {
		return nil, fmt.Errorf("%g requests a second, expected %g to %g", rate, float64(wire.MinRate), float64(wire.MaxRate))
	}
	return &arrivals{mean: 1e9 / rate, rng: rand.New(rand.NewPCG(uint64(seed), 0))}, nil
}

// draw has more than n requests in hand, and all that are due by the clock.
func (a *arrivals) draw(n int) {
	for len(a.due) < n || a.due[len(a.due)-1] <= a.clock {
		a.last += a.rng.ExpFloat64() * a.mean
		a.due = append(a.due, C.int64_t(min(a.last, math.MaxInt64/2)))
	}
}

// took takes away the requests that have been begun, and tells how many of the others are waiting.
func (a *arrivals) took(n int) (waiting int64) {
	a.due = append(a.due[:0], a.due[n:]...)
	a.draw(1)
	for waiting < int64(len(a.due)) && a.due[waiting] <= a.clock {
		waiting++
	}
	return waiting
}

// answer is a block in which requests are answered as they arrive.
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
		err = ctx.Err() // who waits for a request stops without a word
	}
	if err != nil {
		return nil, err
	}
	return &wire.Samples{RunNs: nanoseconds(samples), SpanNs: int64(a.clock - before), BusyNs: int64(q.busy), Waiting: waiting}, nil
}
