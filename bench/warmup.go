package bench

import (
	"context"
	"slices"
	"time"
)

// warmBlocks is the number of blocks that isSteady compares with as many blocks before them.
const warmBlocks = 3

// warmUp runs a track's target without counting its runs. If the plan fixes the number of runs, it
// makes the plan's number of warm-up runs. Otherwise it ends when the times are steady or the
// plan's limit is reached.
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

// warm reports whether the warm-up is over, after runs runs in blocks with the given medians.
func (e *engine) warm(t *track, runs int, medians []time.Duration) bool {
	if e.plan.Runs > 0 {
		t.steady = true // not examined
		return runs >= e.plan.WarmUp
	}
	t.steady = isSteady(medians)
	return t.steady || t.warmUp >= e.plan.WarmUpLimit
}

// isSteady reports whether times have stopped falling: it is false if each of the last three blocks
// is faster than each of the three before. The rule works equally on noisy and on quiet machines.
// If the times no longer change, it is true at the first check with probability 19/20. As long as a
// warm-up makes the runs faster, it is false.
func isSteady(medians []time.Duration) bool {
	n := len(medians)
	if n < 2*warmBlocks {
		return false
	}
	before, last := medians[n-2*warmBlocks:n-warmBlocks], medians[n-warmBlocks:]
	return slices.Max(last) >= slices.Min(before)
}
