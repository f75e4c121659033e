package measure

import (
	"context"
	"slices"
	"testing"
	"time"

	"lathe/session"
	"lathe/session/runtime"
)

// fakeTurns is a session whose runs have given times, without a clock.
type fakeTurns struct {
	runtime.Loaded
	name   string
	run    time.Duration
	made   int
	blocks *[]string
}

func (f *fakeTurns) BlockAt(ctx context.Context, _ uint64, runs int, d time.Duration) ([]time.Duration, error) {
	return f.Block(ctx, runs, d)
}

func (f *fakeTurns) Block(_ context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	n := min(runs, int((d+f.run-1)/f.run))
	f.made += n
	*f.blocks = append(*f.blocks, f.name)
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = f.run
	}
	return out, nil
}

// TestTurns checks that both sessions run alternately, and not more than the trace can hold.
func TestTurns(t *testing.T) {
	for name, c := range map[string]struct {
		plain, timed time.Duration
		runs, most   int
		counted      int // runs with profiling
	}{
		"number of runs": {plain: time.Millisecond, timed: 2 * time.Millisecond, runs: 50, most: 10_000, counted: 50},
		"one run":        {plain: time.Second, timed: time.Second, runs: 1, most: 10_000, counted: 1},
		"a full trace":   {plain: time.Microsecond, timed: 5 * time.Microsecond, most: 1000, counted: 749},
		"a tiny trace":   {plain: time.Microsecond, timed: 5 * time.Microsecond, most: 10, counted: 7},
		"slow and short": {plain: time.Minute, timed: time.Minute, most: 10, counted: 9},
	} {
		t.Run(name, func(t *testing.T) {
			var blocks []string
			plain := &fakeTurns{name: "plain", run: c.plain, blocks: &blocks}
			timed := &fakeTurns{name: "timed", run: c.timed, blocks: &blocks}
			turns := turns{plain: plain, timed: timed, runs: c.runs, most: c.most, limit: time.Hour, env: session.Env{Progress: func(session.Progress) {}}}
			if err := turns.take(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := len(turns.timedRuns); got != c.counted || timed.made != turns.skip+got {
				t.Errorf("%d runs count of %d, %d are left out; want %d", got, timed.made, turns.skip, c.counted)
			}
			if c.runs == 0 && timed.made > c.most {
				t.Errorf("%d runs where a trace holds %d", timed.made, c.most)
			}
			if turns.skip < 1 {
				t.Error("the first run counts")
			}
			measured := blocks[slices.Index(blocks, "timed"):]
			measured = measured[slices.Index(measured, "plain"):]
			for i, name := range measured {
				if want := []string{"plain", "timed"}[i%2]; name != want {
					t.Fatalf("blocks are not by turns: %v", blocks)
				}
			}
		})
	}
}
