// Package bench measures how long models take. The results are repeatable: another measurement on
// the same machine gives the same answer within the reported interval.
//
// # Method
//
// What is measured are subjects: models with their settings. They are measured in rounds. In each
// round every subject runs for one block, which is a short series of consecutive runs. The order of
// the subjects is random in each round. Slow changes of the machine, such as temperature, other
// work or memory layout, then affect all subjects alike and cancel in their comparison. The same
// holds for a slow processor: all blocks of a round start on the same processor, which is chosen at
// random for each round.
//
// The unit of every confidence interval is the block, not the run. Consecutive runs share the state
// of the machine. Treated as independent, they give intervals that are far too narrow, and two
// identical models would appear different more often than not.
//
// The package measures through Target and a clock that the caller provides. It does not depend on
// runtimes or terminals.
package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Target is something that can be run repeatedly and whose runs can be timed, such as a loaded
// model.
type Target interface {
	// Name identifies the target in reports and errors.
	Name() string
	// Block runs the target repeatedly until it has made the given number of runs or the time is
	// up, but at least once. It returns the time of every run, as measured close to the run. Blocks
	// with the same place, which is above 0, start on the same processor if the target supports
	// that.
	Block(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error)
}

// Subject is a target with the facts that the caller knows about it and that appear in the report.
type Subject struct {
	Target
	Facts
}

// Progress describes how far a measurement has come.
type Progress struct {
	Phase  string // "warm-up" or "measuring"
	Target string // the target of the next block
	Done   time.Duration
	Limit  time.Duration // the maximum; 0 if a number of runs is fixed
	Runs   int           // of this target so far
	Median time.Duration // median of this target's last block; 0 before the first
	Sights []Sight       // of all targets, updated a few times per second
}

// Surroundings are the clock and the functions that a measurement calls while it runs.
type Surroundings struct {
	// Now returns the current time.
	Now func() time.Time
	// Progress is called before every block; it may be nil.
	Progress func(Progress)
	// Watch records what else the machine does. It is called when measuring begins, between rounds
	// at most once per watchEvery, and at the end. It may be nil. An error ends the measurement.
	Watch func(context.Context) error
}

// watchEvery is the shortest time between two calls of Watch during a measurement. With it, the
// calls take about a hundredth of a percent of the time.
const watchEvery = time.Second

// maxBlockRuns is the largest number of runs in one block, because a target stores the time of
// each.
const maxBlockRuns = 10_000

// block is the result of one block: the round in which it was measured and the median time of its
// runs.
type block struct {
	round  int
	median time.Duration
}

// track is the state of one subject's measurement.
type track struct {
	subject  Subject
	times    []time.Duration // of all measured runs
	sorted   []float64       // the same in milliseconds, sorted; nil until needed
	blocks   []block
	spent    time.Duration // in measured blocks
	warmUp   time.Duration
	steady   bool // the warm-up ended because times stopped falling
	warm     bool // the warm-up is over
	typical  time.Duration
	tally    tally  // of times
	finished string // one of the Stopped constants, or "" while it continues
}

// engine is the state of one measurement of all subjects.
type engine struct {
	Surroundings
	plan    Plan
	tracks  []*track
	rng     *rand.Rand
	watched time.Time
	sights  []Sight
	looked  time.Time // when sights were updated
}

// Measure warms up every subject and then measures all of them in rounds until the plan is met. If
// a target returns an error, Measure ends and returns that error. The report returned with it
// covers what was measured until then; it is nil if that is too little.
func Measure(ctx context.Context, subjects []Subject, p Plan, around Surroundings) (*Report, error) {
	p, err := p.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("nothing to measure")
	}
	e := &engine{Surroundings: around, plan: p, rng: rand.New(rand.NewPCG(p.Seed, uint64(len(subjects))))}
	for _, s := range subjects {
		e.tracks = append(e.tracks, &track{subject: s})
	}
	for _, t := range e.tracks {
		if err := e.warmUp(ctx, t); err != nil {
			return nil, err
		}
	}
	if err := e.measure(ctx); err != nil {
		return e.cutShort(), err
	}
	return e.report(), nil
}

// cutShort returns the report of a measurement that an error ended. It returns nil if a subject has
// too few blocks for an interval.
func (e *engine) cutShort() *Report {
	for _, t := range e.tracks {
		if len(t.blocks) < enoughBlocks {
			return nil
		}
		if t.finished == "" {
			t.finished = StoppedShort
		}
	}
	return e.report()
}

// measure runs rounds until every track has finished. In each round every unfinished track is
// measured for one block.
func (e *engine) measure(ctx context.Context) error {
	for round := 0; ; round++ {
		active := slices.DeleteFunc(slices.Clone(e.tracks), func(t *track) bool { return t.finished != "" })
		if err := e.watch(ctx, round == 0 || len(active) == 0); err != nil || len(active) == 0 {
			return err
		}
		place := e.place()
		for _, i := range e.rng.Perm(len(active)) {
			if err := e.block(ctx, active[i], round, place); err != nil {
				return err
			}
		}
		e.plan.decide(e.tracks)
	}
}

// watch calls Watch if the last call is at least watchEvery ago, or if must is set.
func (e *engine) watch(ctx context.Context, must bool) error {
	if e.Watch == nil || !must && e.Now().Sub(e.watched) < watchEvery {
		return nil
	}
	e.watched = e.Now()
	return e.Watch(ctx)
}

// place returns a random number that selects the processor on which all blocks of a round start.
// Without it, each subject's thread would stay on the processor where it happens to run. Processors
// can differ in speed for seconds, because of the load on neighbouring processors, and the
// comparison would show that difference.
func (e *engine) place() uint64 { return 1 + uint64(e.rng.Uint32()) }

// block measures a track for one block and adds the result to the track.
func (e *engine) block(ctx context.Context, t *track, round int, place uint64) error {
	e.tell("measuring", t, t.spent)
	runs := maxBlockRuns
	if e.plan.Runs > 0 {
		runs = e.plan.runsOfBlock(len(t.times))
	}
	lead := e.leadIn(t)
	times, took, err := e.call(ctx, t, place, runs+lead, e.length())
	if err != nil {
		return err
	}
	if lead > 0 && len(times) > lead {
		times = times[lead:]
	}
	if len(times) > runs {
		times = times[:runs]
	}
	t.spent += took
	t.times = append(t.times, times...)
	t.tally.add(times)
	m := medianOf(times)
	t.blocks = append(t.blocks, block{round, m})
	t.typical = m
	return nil
}

// length chooses the duration of a block at random between half of the plan's length and all of it.
// Blocks of equal length could synchronize with periodic work on the machine.
func (e *engine) length() time.Duration {
	return e.plan.Block/2 + time.Duration(e.rng.Int64N(int64(e.plan.Block/2)+1))
}

// leadIn returns how many runs at the start of a block are not counted. The first run of a block is
// slower, because the caches contain another subject's data. With several runs at the same time
// this applies to the first of each. If a run takes more than a quarter of a block, the caches
// matter little, and all runs are counted.
func (e *engine) leadIn(t *track) int {
	if t.subject.Rate > 0 {
		return 0 // work between requests is part of how they are answered
	}
	if len(e.tracks) > 1 && t.typical > 0 && t.typical < e.plan.Block/4 {
		return int(max(t.subject.Concurrency, 1))
	}
	return 0
}

// call runs a block of a target and returns the times of its runs and the duration of the whole
// call. It returns an error if there are no times.
func (e *engine) call(ctx context.Context, t *track, place uint64, runs int, d time.Duration) ([]time.Duration, time.Duration, error) {
	start := e.Now()
	times, err := t.subject.Block(ctx, place, runs, d)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", t.subject.Name(), err)
	}
	if len(times) == 0 {
		return nil, 0, fmt.Errorf("%s: a block of %d runs returned no times", t.subject.Name(), runs)
	}
	return times, e.Now().Sub(start), nil
}

func (e *engine) tell(phase string, t *track, done time.Duration) {
	if e.Progress == nil {
		return
	}
	e.look()
	p := Progress{
		Phase: phase, Target: t.subject.Name(), Done: done, Limit: e.plan.Seconds,
		Runs: len(t.times), Median: t.typical, Sights: e.sights,
	}
	if phase == "warm-up" {
		p.Limit = e.plan.WarmUpLimit
	}
	if phase != "warm-up" && done >= e.plan.Seconds {
		p.Limit = e.plan.Patience
	}
	if e.plan.Runs > 0 {
		p.Limit = 0
	}
	e.Progress(p)
}

// medianOf returns the median of one block's times, but at least a nanosecond: a clock that is too
// coarse must not make a ratio infinite.
func medianOf(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return max(1, (sorted[(n-1)/2]+sorted[n/2])/2)
}

// milliseconds returns a duration in milliseconds.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// logRatio returns the logarithm of b/a. Logarithms make "twice as long" and "half as long" equally
// far from "equally long".
func logRatio(a, b time.Duration) float64 { return math.Log(float64(b) / float64(a)) }
