package bench

import (
	"fmt"
	"time"
)

// Kind is a kind of warning, as in JSON documents.
type Kind string

// The kinds of warning.
const (
	FewRuns    Kind = "few_runs"        // too few for percentiles
	FewBlocks  Kind = "few_blocks"      // too few for an interval
	CutShort   Kind = "cut_short"       // the measurement was interrupted
	Unsteady   Kind = "unsteady_warmup" // times were still falling when the warm-up ended
	Drift      Kind = "drift"           // the second half differs from the first
	Spread     Kind = "spread"          // the blocks' times vary much
	Outliers   Kind = "outliers"        // single runs are far from the median
	Imprecise  Kind = "imprecise"       // the interval of the median is wide
	RoundsSay  Kind = "rounds_disagree" // rounds and medians give different ratios
	BusyBefore Kind = "busy_machine"    // other work when the measurement began
	Governor   Kind = "governor"        // the processor saves power
	Growing    Kind = "growing_memory"  // runs do not release all memory
	CPULimit   Kind = "cpu_limit"       // a control group limits the processors
	Overload   Kind = "overload"        // more requests arrive than can be answered, or nearly
)

// Warning is a reason why the numbers of a report may be inaccurate.
type Warning struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
}

const (
	enoughBlocks = 6    // with fewer, no interval contains a median with 95 % confidence
	enoughRounds = 8    // with fewer, none does with 99 %
	driftLimit   = 0.02 // relative change between the halves
	spreadLimit  = 0.05 // interquartile range of the blocks, relative to the median
	outlierLimit = 0.01 // fraction of runs
)

func fewBlocks(n int) Warning {
	return Warning{FewBlocks, fmt.Sprintf("the interval has only %d of the %d blocks that it needs", n, enoughBlocks)}
}

func fewRounds(n int) Warning {
	return Warning{FewBlocks, fmt.Sprintf("the comparison has only %d of the %d rounds that it needs", n, enoughRounds)}
}

func apart(c Comparison) Warning {
	return Warning{RoundsSay, fmt.Sprintf("the ratio of the two medians is %.4g, but that of single rounds is %.4g: the speed of the machine changed during the measurement", float64(c.Ratio), c.Centre())}
}

// warnings returns the reasons why a track's numbers may be inaccurate. sorted are the times of its
// runs in milliseconds.
func (e *engine) warnings(t *track, sorted []float64) []Warning {
	list := []Warning{}
	add := func(k Kind, format string, args ...any) {
		list = append(list, Warning{k, fmt.Sprintf(format, args...)})
	}
	if n := len(sorted); n < e.plan.MinRuns {
		add(FewRuns, "the measurement has only %d of %d runs", n, e.plan.MinRuns)
	}
	if t.finished == StoppedShort {
		add(CutShort, "the measurement was broken off after %v", t.spent.Round(time.Millisecond))
	}
	if !t.steady {
		add(Unsteady, "times may still have been falling when the warm-up ended after %v", t.warmUp.Round(time.Millisecond))
	}
	// Requests that had to wait for others are naturally far from the median.
	if share := float64(outliers(sorted)) / float64(len(sorted)); share > outlierLimit && t.subject.Rate == 0 {
		add(Outliers, "%.1f %% of the runs are far from the median", 100*share)
	}
	medians := t.blockMedians()
	if len(medians) < enoughBlocks {
		return append(list, fewBlocks(len(medians)))
	}
	if ratio, found := drift(medians); found && (ratio > 1+driftLimit || ratio < 1-driftLimit) {
		add(Drift, "the time of a run in the second half differs by %+.1f %% from the first half", 100*(ratio-1))
	}
	if s := relativeSpread(medians); s > spreadLimit {
		add(Spread, "the time of a run varies by %.1f %% from block to block", 100*s)
	}
	if i, most := blocksInterval(medians), e.widest(t); i.precision() > most {
		ci := [2]Number{Number(i.lo), Number(i.hi)}
		add(Imprecise, "the median, %s, is not known to within %.3g %%", MedianText(Number(i.center), &ci), 100*most)
	}
	return list
}

// widest returns how wide a track's interval may be without a warning: half its width relative to
// its middle. It is the requested precision. It is spreadLimit if that is larger, unless the
// measurement ended because the time was up.
func (e *engine) widest(t *track) float64 {
	if t.finished == StoppedTime {
		return e.plan.Precision
	}
	return max(e.plan.Precision, spreadLimit)
}

// verdict returns "steady" if there are no warnings, otherwise "noisy because" and the warnings.
func verdict(list []Warning) string {
	if len(list) == 0 {
		return "steady"
	}
	s := "noisy because " + list[0].Text
	for _, w := range list[1:] {
		s += "; " + w.Text
	}
	return s
}
