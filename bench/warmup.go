package bench

import (
	"context"
	"slices"
	"time"
)

// warmBlocks is how many blocks are compared with the same number of blocks before them.
const warmBlocks = 3

// warmUp runs a track's target without counting: a fixed number of runs, or until it is steady, or
// until the limit.
func (e *engine) warmUp(ctx context.Context, t *track) error {
	var medians []time.Duration
	for runs := 0; !e.warm(t, runs, medians); {
		e.tell("warm-up", t, t.warmUp)
		want := maxBlockRuns
		if e.plan.Runs > 0 {
			want = min(want, e.plan.WarmUp-runs)
		}
		times, took, err := e.call(ctx, t, e.place(), want, e.plan.Block)
		if err != nil {
			return err
		}
		runs += len(times)
		t.warmUp += took
		t.typical = medianOf(times)
		medians = append(medians, t.typical)
	}
	t.warm = true
	return nil
}

// warm decides whether the warm-up is over.
func (e *engine) warm(t *track, runs int, medians []time.Duration) bool {
	if e.plan.Runs > 0 {
		t.steady = true // not examined
		return runs >= e.plan.WarmUp
	}
	t.steady = isSteady(medians)
	return t.steady || t.warmUp >= e.plan.WarmUpLimit
}

// isSteady reports whether times have stopped falling: the last three blocks are not all faster
// than the three before. The rule does not depend on how noisy the machine is. For blocks of one
// distribution it holds with probability 19/20 at the first check. During a warm-up it does not
// hold.
func isSteady(medians []time.Duration) bool {
	n := len(medians)
	if n < 2*warmBlocks {
		return false
	}
	before, last := medians[n-2*warmBlocks:n-warmBlocks], medians[n-warmBlocks:]
	return slices.Max(last) >= slices.Min(before)
}
