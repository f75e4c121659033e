// Package bench measures how long models take, so that a second person on the
// same machine gets the same answer.
//
// # Method
//
// Several subjects are measured in rounds. In each round every subject runs once
// for a short block of consecutive runs, in an order drawn anew. What changes
// slowly on a machine, such as temperature, other work or memory layout, then
// falls on all subjects alike and cancels in their comparison. So does what is
// wrong with one processor: all blocks of a round begin on the same, drawn anew.
//
// The unit of every interval is the block, not the run. Runs that follow each
// other share the machine's mood; taken as independent they make intervals far
// too narrow, and two identical models look different more often than not.
//
// The package measures through Target and a clock that the caller passes in. It
// knows neither runtimes nor terminals.
package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Target is something that can be run repeatedly.
type Target interface {
	// Name tells the target apart in reports and errors.
	Name() string
	// Block runs the target again and again, until it has made that many runs or
	// the time is up, and at least once. It gives the time of every run, as
	// measured next to it. Blocks of the same place, which is above 0, begin on the
	// same processor, if the target can.
	Block(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error)
}

// Subject is a target and what the caller knows about it.
type Subject struct {
	Target
	Facts
}

// Progress tells how far a measurement is.
type Progress struct {
	Phase  string // "warm-up" or "measuring"
	Target string // whose block is next
	Done   time.Duration
	Limit  time.Duration // the most it will take; 0 where a number of runs is fixed
	Runs   int           // of this target so far
	Median time.Duration // of this target's blocks so far; 0 before the first
	Sights []Sight       // of all targets, made anew a few times a second
}

// Surroundings are what a measurement needs from outside.
type Surroundings struct {
	// Now is the clock.
	Now func() time.Time
	// Progress is told before every block; nil for nobody.
	Progress func(Progress)
	// Watch looks at what else the machine does: when measuring begins, between rounds at
	// most once in watchEvery, and when it is over. Nil for nobody; an error ends the
	// measurement.
	Watch func(context.Context) error
}

// watchEvery is how far looks at the machine are apart: a hundredth of a percent of the time
// goes into them.
const watchEvery = time.Second

// maxBlockRuns bounds the sample buffer of one block.
const maxBlockRuns = 10_000

// block is what one block of runs gave.
type block struct {
	round  int
	median time.Duration
}

// track is the measurement of one subject.
type track struct {
	subject  Subject
	times    []time.Duration // of all measured runs
	sorted   []float64       // the same in milliseconds, once they are wanted
	blocks   []block
	spent    time.Duration // in measured blocks
	warmUp   time.Duration
	steady   bool // the warm-up ended because times no longer fell
	warm     bool // its warm-up is over
	typical  time.Duration
	tally    tally  // of times
	finished string // one of the Stopped constants, or "" while it goes on
}

// engine carries one measurement.
type engine struct {
	Surroundings
	plan    Plan
	tracks  []*track
	rng     *rand.Rand
	watched time.Time
	sights  []Sight
	looked  time.Time // when sights were made
}

// Measure warms every subject up and measures all of them, interleaved, as the
// plan says. What a target gives as an error ends the measurement; the report that
// comes with it then is of what was measured until then, nil where that is too little.
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

// cutShort is the report of a measurement that an error ended, nil where some
// subject has too few blocks for an interval.
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

// measure runs rounds until every track has finished.
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

// watch has the machine looked at where it is time, or has to be.
func (e *engine) watch(ctx context.Context, must bool) error {
	if e.Watch == nil || !must && e.Now().Sub(e.watched) < watchEvery {
		return nil
	}
	e.watched = e.Now()
	return e.Watch(ctx)
}

// place draws the processor of a round. A thread stays on its processor while nothing
// disturbs it, and processors differ for seconds, because of what their neighbours do:
// subjects that each had one of their own would be compared by that.
func (e *engine) place() uint64 { return 1 + uint64(e.rng.Uint32()) }

// block measures one block of a track.
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

// length draws how long a block lasts, up to the plan's length and at least half
// of it. Blocks of equal length would fall into step with work that returns
// periodically.
func (e *engine) length() time.Duration {
	return e.plan.Block/2 + time.Duration(e.rng.Int64N(int64(e.plan.Block/2)+1))
}

// leadIn is how many runs of a block are not counted: the first, or the first of each that go
// on at once. They find the caches full of another subject's data. Where a block holds only a few runs the
// runs are long, caches matter less, and none is given away.
func (e *engine) leadIn(t *track) int {
	if t.subject.Rate > 0 {
		return 0 // what comes between requests is a part of how they are answered
	}
	if len(e.tracks) > 1 && t.typical > 0 && t.typical < e.plan.Block/4 {
		return int(max(t.subject.Concurrency, 1))
	}
	return 0
}

// call runs a block of a target and checks that it kept its word.
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
		return nil, 0, fmt.Errorf("%s: a block of %d runs gave no time", t.subject.Name(), runs)
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
	if e.plan.Runs > 0 {
		p.Limit = 0
	}
	e.Progress(p)
}

// medianOf is the median of one block's times, at least a nanosecond: a clock
// that is coarser than the run must not make a ratio infinite.
func medianOf(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return max(1, (sorted[(n-1)/2]+sorted[n/2])/2)
}

// milliseconds is a duration as a number of milliseconds.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// logRatio is how far apart two durations are, the same in both directions.
func logRatio(a, b time.Duration) float64 { return math.Log(float64(b) / float64(a)) }
