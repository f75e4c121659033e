package bench

import (
	"fmt"
	"math"
	"time"
)

// The reasons why the measurement of a subject ended.
const (
	StoppedPrecise = "precision" // the interval of the median is as narrow as requested
	StoppedTime    = "seconds"   // the time was up
	StoppedRuns    = "runs"      // the fixed number of runs was made
	StoppedShort   = "error"     // an error, a signal, or a lost connection
)

// Plan says how much to measure. Zero fields mean the defaults.
//
// A subject is measured for at least MinTime and MinRuns, and then until the median of every
// subject is known with Precision, for at most Seconds each. If Runs is set, the number of runs is
// fixed, and so is the warm-up. If runs are so slow that Seconds do not give the blocks that an interval
// needs, the measurement may take up to Patience.
type Plan struct {
	//lint:ignore ST1011 named after the option that sets it
	Seconds   time.Duration // maximum time for a subject; default 10 s
	Patience  time.Duration // default Seconds, which is also the least
	MinTime   time.Duration // default 3 s, or Seconds if that is less
	MinRuns   int           // default 10
	Precision float64       // half width of the median's interval relative to its middle; default 1 %
	Block     time.Duration // length of a block; default 50 ms, at most 250 ms

	Runs   int // fixed number of measured runs; 0 means that the precision decides
	WarmUp int // number of warm-up runs; used only with Runs

	// WarmUpLimit is the maximum time of a subject's warm-up if Runs is not set; default 3 s, or
	// Seconds if that is less.
	WarmUpLimit time.Duration
	Seed        uint64 // for the order of subjects within a round
}

// The default and the maximum length of a block. Blocks should be short compared with slow changes
// of the machine. Consecutive runs depend on each other, so a longer block would not give more
// information, only fewer blocks.
const (
	defaultBlock = 50 * time.Millisecond
	maxBlock     = 250 * time.Millisecond
)

// minRounds is the number of blocks into which a fixed number of runs is divided, provided that
// there are that many runs. It is enough for a confidence interval.
const minRounds = 20

func (p Plan) withDefaults() (Plan, error) {
	for _, f := range []struct {
		name string
		bad  bool
	}{
		{"seconds", p.Seconds < 0},
		{"the patience", p.Patience < 0},
		{"the least time", p.MinTime < 0},
		{"the least number of runs", p.MinRuns < 0},
		{"precision", p.Precision < 0 || math.IsNaN(p.Precision)},
		{"the length of a block", p.Block < 0 || p.Block > maxBlock},
		{"the number of runs", p.Runs < 0},
		{"the number of warm-up runs", p.WarmUp < 0},
		{"the limit of the warm-up", p.WarmUpLimit < 0},
	} {
		if f.bad {
			return p, fmt.Errorf("plan: %s is out of range", f.name)
		}
	}
	if p.WarmUp > 0 && p.Runs == 0 {
		return p, fmt.Errorf("plan: a fixed warm-up of %d runs needs a fixed number of runs", p.WarmUp)
	}
	p.Seconds = orDefault(p.Seconds, 10*time.Second)
	p.Patience = max(p.Patience, p.Seconds)
	p.MinTime = min(orDefault(p.MinTime, 3*time.Second), p.Seconds)
	p.MinRuns = orDefault(p.MinRuns, 10)
	p.Precision = orDefault(p.Precision, 0.01)
	p.Block = orDefault(p.Block, defaultBlock)
	p.WarmUpLimit = min(orDefault(p.WarmUpLimit, 3*time.Second), p.Seconds)
	return p, nil
}

func orDefault[T int | float64 | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

// runsOfBlock returns the number of runs in the next block if the plan fixes the number of runs.
// done is the number of runs made so far.
func (p Plan) runsOfBlock(done int) int {
	return min(max(p.Runs/minRounds, 1), p.Runs-done, maxBlockRuns)
}

// decide sets finished for the tracks whose measurement can end. A track whose runs or time are
// used up ends by itself. If the precision is reached, all tracks end together: as long as one is
// not precise enough, the others are measured along with it.
func (p Plan) decide(tracks []*track) {
	precise := true
	for _, t := range tracks {
		switch {
		case p.Runs > 0 && len(t.times) >= p.Runs:
			t.finished = StoppedRuns
		case p.Runs == 0 && t.spent >= p.limit(t):
			t.finished = StoppedTime
		}
		if t.finished == "" && !p.satisfied(t) {
			precise = false
		}
	}
	if !precise {
		return
	}
	for _, t := range tracks {
		if t.finished == "" {
			t.finished = StoppedPrecise
		}
	}
}

// limit returns the maximum time of a track.
func (p Plan) limit(t *track) time.Duration {
	if len(t.blocks) < enoughBlocks {
		return p.Patience
	}
	return p.Seconds
}

// satisfied reports whether a track has met the minimum time, the minimum number of runs and the
// precision.
func (p Plan) satisfied(t *track) bool {
	if p.Runs > 0 || t.spent < p.MinTime || len(t.times) < p.MinRuns {
		return false
	}
	return blocksInterval(t.blockMedians()).precision() <= p.Precision
}
