package steps

import (
	"context"
	"errors"
	"slices"
	"time"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/session"
)

// turns runs a model without a profile and with one, in short blocks by turns, so that
// a machine that changes meanwhile changes both.
type turns struct {
	plain, timed session.Loaded
	env          session.Env
	runs         int           // so many of each; 0 for as many as limit allows
	limit        time.Duration // of both together
	most         int           // with a profile, that its trace can hold

	skip                 int // runs with a profile that do not count
	plainRuns, timedRuns []time.Duration
}

const (
	// turnTime is how long a block takes: long enough for caches to be the model's own.
	turnTime = 40 * time.Millisecond
	// warmTime is how long each of both is warmed up, by more than the first run unless
	// that took longer than slowRun.
	warmTime = 250 * time.Millisecond
	slowRun  = 2 * time.Second
	// fewestRuns are made of each even when the time is over.
	fewestRuns = 3
)

// take makes the runs.
func (t *turns) take(ctx context.Context) error {
	for _, l := range []session.Loaded{t.plain, t.timed} {
		runs, err := t.warm(ctx, l)
		if err != nil {
			return err
		}
		t.skip = len(runs) // that of the last counts
	}
	start := time.Now()
	for !t.enough(time.Since(start)) {
		want, place := t.left(), uint64(len(t.plainRuns)+1) // of both the same processor
		plain, err := t.plain.BlockAt(ctx, place, want, turnTime)
		if err != nil {
			return err
		}
		timed, err := t.timed.BlockAt(ctx, place, want, turnTime)
		if err != nil {
			return err
		}
		t.plainRuns, t.timedRuns = append(t.plainRuns, plain...), append(t.timedRuns, timed...)
		if len(plain) == 0 || len(timed) == 0 {
			return errNoTimes
		}
		t.env.Progress(session.Progress{Phase: "profiling", Done: time.Since(start).Milliseconds(), Total: t.limit.Milliseconds(), Unit: "ms"})
	}
	return nil
}

var errNoTimes = errors.New("profile: a block of runs gave no times")

// warm runs a session until caches, memory and kernels are what they will be.
func (t *turns) warm(ctx context.Context, l session.Loaded) ([]time.Duration, error) {
	t.env.Progress(session.Progress{Phase: "warm-up"})
	runs, err := l.Block(ctx, 1, time.Hour)
	if err == nil && len(runs) == 0 {
		err = errNoTimes
	}
	if err != nil {
		return nil, err
	}
	if runs[0] > slowRun {
		return runs, nil
	}
	most := max(t.most/4, 1)
	if t.runs > 0 {
		most = t.runs
	}
	more, err := l.Block(ctx, most, max(warmTime-runs[0], 1)) // one at least
	return append(runs, more...), err
}

// left is how many runs the next block may have.
func (t *turns) left() int {
	if t.runs > 0 {
		return max(t.runs-max(len(t.plainRuns), len(t.timedRuns)), 1)
	}
	return max(t.most-t.skip-len(t.timedRuns), 1)
}

// enough reports whether there are as many runs as were wanted, or fit.
func (t *turns) enough(spent time.Duration) bool {
	n := min(len(t.plainRuns), len(t.timedRuns))
	if t.runs > 0 {
		return n >= t.runs
	}
	return n >= fewestRuns && (spent >= t.limit || t.skip+len(t.timedRuns) >= t.most)
}

// mostEvents keeps a trace below a hundred megabytes, which is read in a second or two.
const mostEvents = 100_000

// mostRuns is how many runs a trace can hold. What runs more than once in a run is not
// known: the runtime drops what is too much, and that is told.
func mostRuns(m *graphops.Model) int {
	nodes := 3 // events that are about the run
	for n := range m.AllNodes() {
		_ = n
		nodes++
	}
	return max(mostEvents/nodes, 2*fewestRuns)
}

// compare tells what the profile costs.
func (r *ProfileReport) compare(plain, timed []time.Duration) {
	r.PlainUS, r.TimedUS = medianTime(plain), medianTime(timed)
	if r.PlainUS > 0 {
		r.Slowdown = r.TimedUS / r.PlainUS
	}
}

func medianTime(list []time.Duration) profile.Number {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return profile.Number(float64((sorted[(n-1)/2] + sorted[n/2]).Nanoseconds()) / 2e3)
}
