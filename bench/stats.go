package bench

import (
	"math"
	"slices"
	"time"

	"golang.org/x/perf/benchmath"
)

// intervalConfidence is the confidence of every interval that is shown. certainty is the confidence
// of the interval that must not contain 1 for a difference to be significant. It is higher, so that
// only one of a hundred comparisons of equal models reports a difference, and not one of twenty.
const (
	intervalConfidence = 0.95
	certainty          = 0.99
)

// interval is an estimate (center) with its confidence interval from lo to hi, which is infinite if
// there are too few values.
type interval struct{ center, lo, hi float64 }

// medianInterval returns the median of independent values and the interval between two of them that
// contains the true median with intervalConfidence. It follows from the binomial distribution of
// how many values are below the median. Nothing is assumed about the distribution of the values (H.
// A. David, Order Statistics, section 7.1).
func medianInterval(values []float64) interval {
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	s := benchmath.AssumeNothing.Summary(sample, intervalConfidence)
	return interval{s.Center, s.Lo, s.Hi}
}

// blocksInterval returns the median of blocks, which are in order of time and positive, and its
// interval. Neighbouring blocks are not independent, because the speed of a machine changes slowly. So
// the interval is that of the groups into which neighbours were averaged until they no longer
// correlate. It is never narrower than that of the blocks.
func blocksInterval(blocks []float64) interval {
	i := medianInterval(blocks)
	if !i.isFinite() || slices.Min(blocks) <= 0 {
		return i
	}
	groups, _ := independent(blocks)
	if len(groups) == len(blocks) {
		return i
	}
	for k, g := range groups {
		groups[k] = math.Exp(g)
	}
	g := medianInterval(groups)
	return interval{i.center, min(i.lo, g.lo), max(i.hi, g.hi)}
}

// BlocksMedian returns the median of the medians of blocks in milliseconds, its 95 % interval, which
// is nil with fewer than 6 blocks, and in a few words why it may be inaccurate. The blocks are in order
// of time. It is what Measure reports of a run.
func BlocksMedian(blocks []float64) (median Number, ci *[2]Number, noise string) {
	if len(blocks) == 0 {
		return 0, nil, ""
	}
	i := blocksInterval(blocks)
	var reasons []string
	if i.isFinite() {
		ci = &[2]Number{Number(i.lo), Number(i.hi)}
	} else {
		reasons = append(reasons, brief[FewBlocks])
	}
	spread := 0.0
	if len(blocks) >= enoughBlocks {
		spread = relativeSpread(blocks)
	}
	if spread > spreadLimit {
		reasons = append(reasons, brief[Spread])
	}
	if i.isFinite() && i.precision() > spreadLimit {
		reasons = append(reasons, brief[Imprecise])
	}
	return Number(i.center), ci, saidNoisy(reasons, spread)
}

// precision returns half the width of the interval relative to its middle. It is infinite if there
// are too few values for an interval.
func (i interval) precision() float64 {
	if !i.isFinite() || i.lo+i.hi == 0 {
		return math.Inf(1)
	}
	return (i.hi - i.lo) / math.Abs(i.lo+i.hi)
}

func (i interval) isFinite() bool { return !math.IsInf(i.lo, 0) && !math.IsInf(i.hi, 0) }

// blockMedians returns the medians of a track's blocks in milliseconds.
func (t *track) blockMedians() []float64 {
	out := make([]float64, len(t.blocks))
	for i, b := range t.blocks {
		out[i] = milliseconds(b.median)
	}
	return out
}

// sortedTimes returns the times of all runs in milliseconds, ascending. There may be millions, so
// they are sorted only once, after the measurement.
func (t *track) sortedTimes() []float64 {
	if t.sorted == nil {
		t.sorted = make([]float64, len(t.times))
		for i, d := range t.times {
			t.sorted[i] = milliseconds(d)
		}
		slices.Sort(t.sorted)
	}
	return t.sorted
}

// quantile interpolates between the two nearest sorted values, as numpy does by default.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// tail returns the quantile q of the sorted values. It returns nil if fewer than beyond values are
// expected above q, because the quantile would then be little more than the maximum.
func tail(sorted []float64, q, beyond float64) *Number {
	if float64(len(sorted))*(1-q) < beyond-1e-9 {
		return nil
	}
	n := Number(quantile(sorted, q))
	return &n
}

// A value is an outlier if it is more than outlierDeviations standard deviations away from the
// median, and by more than the fraction outlierShare of the median. Without the second condition,
// nearly equal times, whose deviation is close to 0, would give many outliers.
const (
	outlierDeviations = 10
	outlierShare      = 0.05
)

// outliers counts sorted values far from the median. The standard deviation is estimated as 1.4826
// times the median absolute deviation, which is right for a normal distribution and is not inflated
// by outliers (B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers, 1993).
func outliers(sorted []float64) int {
	median := quantile(sorted, 0.5)
	distances := make([]float64, len(sorted))
	for i, v := range sorted {
		distances[i] = math.Abs(v - median)
	}
	slices.Sort(distances)
	limit := max(outlierDeviations*1.4826*quantile(distances, 0.5), outlierShare*median)
	first, _ := slices.BinarySearch(distances, math.Nextafter(limit, math.Inf(1)))
	return len(distances) - first
}

// mean returns the arithmetic mean of values, of which there must be at least one.
func mean(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total / float64(len(values))
}

// drift returns the median of the second half of the blocks divided by that of the first half.
// found is set if a Mann-Whitney U test finds that the halves differ, at a significance level of 1
// %.
func drift(medians []float64) (ratio float64, found bool) {
	half := len(medians) / 2
	if half < 3 {
		return 1, false
	}
	first := benchmath.NewSample(slices.Clone(medians[:half]), &benchmath.Thresholds{CompareAlpha: 0.01})
	second := benchmath.NewSample(slices.Clone(medians[len(medians)-half:]), first.Thresholds)
	c := benchmath.AssumeNothing.Compare(first, second)
	return quantile(second.Values, 0.5) / quantile(first.Values, 0.5), c.P < c.Alpha
}

// relativeSpread returns the interquartile range of values divided by their median.
func relativeSpread(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / quantile(sorted, 0.5)
}

// pairRounds returns, for each round in which both tracks were measured, the logarithm of the ratio
// of their block medians, b over a.
func pairRounds(a, b *track) []float64 {
	inA := map[int]time.Duration{}
	for _, x := range a.blocks {
		inA[x.round] = x.median
	}
	var logs []float64
	for _, x := range b.blocks {
		if m, ok := inA[x.round]; ok {
			logs = append(logs, logRatio(m, x.median))
		}
	}
	return logs
}
