package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/bench"
	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/runtime"
)

// turns runs two sessions of a model, one of them with profiling. They alternate in short blocks,
// so that a change of the machine's speed affects both.
type turns struct {
	plain, timed runtime.Loaded
	env          session.Env
	runs         int           // number of runs of each; 0 for as many as limit allows
	limit        time.Duration // time limit for both together
	most         int           // runs with profiling that the trace can hold

	skip                 int // runs with profiling that do not count
	plainRuns, timedRuns []time.Duration
	plainBlocks          []float64 // medians of the blocks without profiling, in milliseconds
}

const (
	// turnTime is how long one session runs before the other takes its turn. It is long enough to
	// fill the caches with the model's data.
	turnTime = 40 * time.Millisecond
	// warmTime is how long each session is warmed up. If the first run takes longer than slowRun,
	// it is the only one.
	warmTime = 250 * time.Millisecond
	slowRun  = 2 * time.Second
	// fewestRuns is how many runs with and without profiling are made at least, even if the time is
	// over.
	fewestRuns = 3
)

// take warms up both sessions and then runs them in turns until there are enough runs.
func (t *turns) take(ctx context.Context) error {
	for _, l := range []runtime.Loaded{t.plain, t.timed} {
		runs, err := t.warm(ctx, l)
		if err != nil {
			return err
		}
		t.skip = len(runs) // set by the last session, the one with profiling
	}
	start := time.Now()
	for !t.enough(time.Since(start)) {
		want, place := t.left(), uint64(len(t.plainRuns)+1) // both use the same processor
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
		t.plainBlocks = append(t.plainBlocks, float64(medianTime(plain))/1e3)
		p := session.Progress{Phase: "profiling", Done: time.Since(start).Milliseconds(), Total: t.limit.Milliseconds(), Unit: "ms"}
		if p.Done >= p.Total {
			p = session.Progress{Phase: fmt.Sprintf("profiling: %d runs at least", max(t.runs, fewestRuns))}
		}
		t.env.Progress(p)
	}
	return nil
}

var errNoTimes = errors.New("profile: the runtime reported no times for a block of runs")

// warm runs a session until caches, memory and kernels are in their final state.
func (t *turns) warm(ctx context.Context, l runtime.Loaded) ([]time.Duration, error) {
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
	more, err := l.Block(ctx, most, max(warmTime-runs[0], 1)) // at least one
	return append(runs, more...), err
}

// left returns the largest number of runs that the next block may have. It is at least 1.
func (t *turns) left() int {
	if t.runs > 0 {
		return max(t.runs-max(len(t.plainRuns), len(t.timedRuns)), 1)
	}
	return max(t.most-t.skip-len(t.timedRuns), 1)
}

// enough reports whether there are as many runs as requested, or as fit into the time.
func (t *turns) enough(spent time.Duration) bool {
	n := min(len(t.plainRuns), len(t.timedRuns))
	if t.runs > 0 {
		return n >= t.runs
	}
	return n >= fewestRuns && (spent >= t.limit || t.skip+len(t.timedRuns) >= t.most)
}

// mostEvents keeps a trace below 100 MB, which is read in one or two seconds.
const mostEvents = 100_000

// mostRuns returns how many runs a trace can hold. Nodes in a loop may run several times in each
// run, which is not known here. The runtime then drops events, and the report says so.
func mostRuns(m *graphops.Model) int {
	nodes := 3 // events for the run itself
	for n := range m.AllNodes() {
		_ = n
		nodes++
	}
	return max(mostEvents/nodes, 2*fewestRuns)
}

// compare computes how long a run takes without profiling, as bench does, and how much slower the
// model runs with it, which it returns; 0 if unknown.
func (r *profileReport) compare(t *turns) float64 {
	plain, ci, noise := bench.BlocksMedian(t.plainBlocks)
	r.PlainUS, r.TimedUS, r.Noise = plain*1e3, medianTime(t.timedRuns), noise
	if ci != nil {
		r.PlainCI = &[2]profile.Number{ci[0] * 1e3, ci[1] * 1e3}
	}
	if r.PlainUS > 0 {
		return float64(r.TimedUS / r.PlainUS)
	}
	return 0
}

func medianTime(list []time.Duration) profile.Number {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return profile.Number(float64((sorted[(n-1)/2] + sorted[n/2]).Nanoseconds()) / 2e3)
}
