package bench

import (
	"math/bits"
	"time"
)

// Sight is how the measurement of a subject looks while it goes on. It never changes.
type Sight struct {
	Name  string
	Phase string // "warm-up", "waiting", "measuring" or "done"
	// Runs are those that count so far, Median is that of their blocks' medians, and the interval
	// between Low and High that of Report; they are 0 where there are too few blocks.
	Runs              int
	Median, Low, High time.Duration
	Spread            Octaves
}

// sightEvery is how far sights are apart: what draws them has no use for more.
const sightEvery = 200 * time.Millisecond

// Octaves counts times in bins of a sixteenth of an octave or less, each a constant part of its
// octave: what a time falls into is known without looking at the others, and a bin is no wider
// than 6.25 % of it.
type Octaves struct {
	First  int // the bin that Counts begins with
	Counts []int
}

// partsOfOctave is how many bins an octave has.
const partsOfOctave = 16

// binOf is the bin of a time: its octave, and the four bits behind the first.
func binOf(d time.Duration) int {
	n := uint64(max(d, partsOfOctave))
	octave := bits.Len64(n) - 1
	return octave*partsOfOctave + int(n>>(octave-4)&(partsOfOctave-1))
}

// binStart is where a bin begins.
func binStart(bin int) time.Duration {
	octave, part := bin/partsOfOctave, bin%partsOfOctave
	return time.Duration(uint64(partsOfOctave+part) << octave >> 4)
}

// Edges are where the i-th bin of Counts begins and ends, in milliseconds.
func (s Octaves) Edges(i int) (from, to float64) {
	return milliseconds(binStart(s.First + i)), milliseconds(binStart(s.First + i + 1))
}

// tally counts times as they come.
type tally struct {
	counts   [64 * partsOfOctave]int
	from, to int // of the bins that are not empty; to 0 where all are
}

func (t *tally) add(times []time.Duration) {
	for _, d := range times {
		bin := binOf(d)
		t.counts[bin]++
		if t.to == 0 {
			t.from = bin
		}
		t.from, t.to = min(t.from, bin), max(t.to, bin+1)
	}
}

func (t *tally) spread() Octaves {
	return Octaves{First: t.from, Counts: append([]int(nil), t.counts[t.from:t.to]...)}
}

// look makes new sights where it is time for them.
func (e *engine) look() {
	if now := e.Now(); e.sights == nil || now.Sub(e.looked) >= sightEvery {
		e.looked = now
		e.sights = make([]Sight, len(e.tracks))
		for i, t := range e.tracks {
			e.sights[i] = t.sight()
		}
	}
}

// sight is how a track looks.
func (t *track) sight() Sight {
	s := Sight{Name: t.subject.Name(), Phase: t.phase(), Runs: len(t.times), Spread: t.tally.spread()}
	if len(t.blocks) == 0 {
		s.Median = t.typical
		return s
	}
	i := medianInterval(t.blockMedians())
	s.Median = inTime(i.center)
	if i.isFinite() {
		s.Low, s.High = inTime(i.lo), inTime(i.hi)
	}
	return s
}

func (t *track) phase() string {
	switch {
	case t.finished != "":
		return "done"
	case len(t.blocks) > 0 || t.warm:
		return "measuring"
	case t.warmUp > 0:
		return "warm-up"
	}
	return "waiting"
}

// inTime is a number of milliseconds as a duration.
func inTime(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
