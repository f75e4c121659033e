package bench

import (
	"math/bits"
	"time"
)

// Sight is what is known about a subject at one moment of its measurement. It is immutable, so that
// a screen can show it while the measurement goes on.
type Sight struct {
	Name  string
	Work  string // see Facts.Work
	Phase string // "warm-up", "waiting", "measuring" or "done"
	// Runs is the number of measured runs so far. Median is the median of their blocks' medians,
	// and Low and High are the ends of the confidence interval as in Report. Low and High are 0 if
	// there are too few blocks.
	Runs              int
	Median, Low, High time.Duration
	Spread            Octaves
}

// sightEvery is the shortest time between two updates of the sights, which are only shown on a
// screen.
const sightEvery = 200 * time.Millisecond

// Octaves is a histogram whose bins divide each octave (a factor of two) into sixteen parts of
// equal width. A bin is at most 6.25 % wide. The bin of a time does not depend on other times, so
// times can be counted as they arrive.
type Octaves struct {
	First  int // the first bin of Counts
	Counts []int
}

// partsOfOctave is the number of bins in an octave.
const partsOfOctave = 16

// binOf returns the number of the bin of a time in nanoseconds. It consists of the position of the
// leading bit, which is the octave, and the four bits after it.
func binOf(d time.Duration) int {
	n := uint64(max(d, partsOfOctave))
	octave := bits.Len64(n) - 1
	return octave*partsOfOctave + int(n>>(octave-4)&(partsOfOctave-1))
}

// binStart returns the shortest time in a bin.
func binStart(bin int) time.Duration {
	octave, part := bin/partsOfOctave, bin%partsOfOctave
	return time.Duration(uint64(partsOfOctave+part) << octave >> 4)
}

// Edges returns the ends of the i-th bin of Counts, in milliseconds.
func (s Octaves) Edges(i int) (from, to float64) {
	return milliseconds(binStart(s.First + i)), milliseconds(binStart(s.First + i + 1))
}

// tally counts times in the bins of Octaves as they arrive.
type tally struct {
	counts   [64 * partsOfOctave]int
	from, to int // range of bins that are not empty; to is 0 if all are
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

// look updates the sights of all tracks, unless it did so less than sightEvery ago.
func (e *engine) look() {
	if now := e.Now(); e.sights == nil || now.Sub(e.looked) >= sightEvery {
		e.looked = now
		e.sights = make([]Sight, len(e.tracks))
		for i, t := range e.tracks {
			e.sights[i] = t.sight()
		}
	}
}

// sight returns what is known about a track now. During the warm-up the median is that of the last
// block.
func (t *track) sight() Sight {
	s := Sight{Name: t.subject.Name(), Work: t.subject.Work(), Phase: t.phase(), Runs: len(t.times), Spread: t.tally.spread()}
	if len(t.blocks) == 0 {
		s.Median = t.typical
		return s
	}
	i := blocksInterval(t.blockMedians())
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

// inTime returns a number of milliseconds as a duration.
func inTime(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
