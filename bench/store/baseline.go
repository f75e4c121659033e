package store

import (
	"fmt"
	"io"
	"math"
	"time"

	"lathe/bench"
	"lathe/session/text"
)

// Verdicts of a comparison with a baseline.
const (
	Regression = "regression" // the whole interval is slower than allowed
	Unclear    = "unclear"    // the interval contains the limit, or there is no interval
	Within     = "within"     // the whole interval is within the limit
	Faster     = "faster"     // the whole interval is faster than the baseline
	Slower     = "slower"     // the whole interval is slower, in a comparison without a limit
)

// NoLimit is the limit of a comparison that only says which of the two is faster. The conditions
// differ on purpose, so a slower result does not count as a regression.
const NoLimit = -1

// Baseline is the comparison of a measurement with an earlier one.
type Baseline struct {
	File string    `json:"file"`
	Time time.Time `json:"time"`
	// MaxRegression is the fraction by which a subject may have become slower. It is NoLimit if any
	// result is accepted.
	MaxRegression bench.Number `json:"max_regression"`
	// Differences lists the conditions that differ from those of the baseline, which the user has
	// accepted.
	Differences []Difference         `json:"differences"`
	Comparisons []BaselineComparison `json:"comparisons"`
	// OnlyBaseline are the subjects that only the baseline has. OnlyHere are those that only this
	// measurement has.
	OnlyBaseline []string `json:"only_baseline"`
	OnlyHere     []string `json:"only_here"`
	Pass         bool     `json:"pass"`
}

// BaselineComparison compares a subject with the corresponding subject of the baseline.
type BaselineComparison struct {
	Baseline string       `json:"baseline"` // its name in the baseline
	Here     string       `json:"here"`
	P50Was   bench.Number `json:"baseline_p50_ms"`
	P50      bench.Number `json:"p50_ms"`
	// CI95Was, P90Was, P99Was and ThroughputWas are the baseline's own figures, which are shown
	// beside those of this measurement.
	CI95Was       *[2]bench.Number `json:"baseline_ci95_ms"`
	P90Was        *bench.Number    `json:"baseline_p90_ms"`
	P99Was        *bench.Number    `json:"baseline_p99_ms"`
	ThroughputWas bench.Number     `json:"baseline_throughput"`
	bench.Shift
	Verdict string `json:"verdict"`
	// Noise and NoiseWas say in a few words why the time of this measurement, and that of the
	// baseline, may be inaccurate.
	Noise    string `json:"noise,omitempty"`
	NoiseWas string `json:"baseline_noise,omitempty"`
	// SameModel says whether the two models have the same content; nil if that is not known.
	SameModel *bool `json:"same_model"`
}

// Occasions is a remark about what the interval of a comparison with an earlier measurement does
// not cover.
const Occasions = "measured at another time: the interval covers variation within a measurement, but not the difference between the machine's state then and now; only measuring both in one command removes that"

// Against compares a measurement with a baseline, pair by pair. The verdict of a pair is
// "regression" if even the lower end of the interval is above the limit, which may be NoLimit.
func (p Pairing) Against(baseline, here *Result, limit float64) (*Baseline, error) {
	was, err := baseline.Bench()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", baseline.File, err)
	}
	is, err := here.Bench()
	if err != nil {
		return nil, err
	}
	out := &Baseline{
		File: baseline.File, Time: baseline.Time, MaxRegression: bench.Number(limit), Pass: true,
		Differences: orEmpty(p.Differences), OnlyBaseline: orEmpty(p.OnlyBaseline), OnlyHere: orEmpty(p.OnlyHere),
		Comparisons: []BaselineComparison{},
	}
	for _, pair := range p.Pairs {
		if pair.Baseline >= len(was.Runs) || pair.Here >= len(is.Runs) {
			return nil, fmt.Errorf("%s: lists %d subjects but has %d runs", baseline.File, len(baseline.Subjects), len(was.Runs))
		}
		a, b := was.Runs[pair.Baseline], is.Runs[pair.Here]
		c := BaselineComparison{
			Baseline: a.Name, Here: b.Name, P50Was: a.P50, P50: b.P50, CI95Was: a.CI95, P90Was: a.P90, P99Was: a.P99, ThroughputWas: a.Throughput, Noise: is.Noise(b.Name), NoiseWas: was.Noise(a.Name), Shift: bench.ShiftOf(blocksOf(a), blocksOf(b)),
			SameModel: sameContent(baseline.Models[baseline.Subjects[pair.Baseline].Model], here.Models[here.Subjects[pair.Here].Model]),
		}
		c.Verdict = verdictOf(c.Shift, limit)
		out.Pass = out.Pass && c.Verdict != Regression
		out.Comparisons = append(out.Comparisons, c)
	}
	return out, nil
}

// blocksOf returns the medians of a run's blocks, or the run's own median if there are none.
func blocksOf(r bench.Run) []float64 {
	if len(r.BlockMedians) == 0 {
		return []float64{float64(r.P50)}
	}
	out := make([]float64, len(r.BlockMedians))
	for i, m := range r.BlockMedians {
		out[i] = float64(m)
	}
	return out
}

func sameContent(a, b Model) *bool {
	if a.Structure == "" || b.Structure == "" {
		return nil
	}
	same := a.Same(b)
	return &same
}

func verdictOf(s bench.Shift, limit float64) string {
	switch {
	case s.CI95 == nil:
		return Unclear
	case limit == NoLimit:
		return withoutLimit(*s.CI95)
	case float64(s.CI95[0]) > 1+limit:
		return Regression
	case s.CI95[1] < 1:
		return Faster
	case float64(s.CI95[1]) <= 1+limit:
		return Within
	}
	return Unclear
}

func withoutLimit(interval [2]bench.Number) string {
	switch {
	case interval[0] > 1:
		return Slower
	case interval[1] < 1:
		return Faster
	}
	return Unclear
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// WriteText writes the comparison for people.
func (b *Baseline) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	for _, c := range b.Comparisons {
		p.Line("%s", c.Sentence(float64(b.MaxRegression)))
	}
	p.Line("   baseline%s: %s", at(b.Time), text.Clean(b.File))
	p.Line("   %s", Occasions)
	for _, d := range b.Differences {
		p.Line("   not as in the baseline: %s", text.CleanLine(d.String()))
	}
	for _, name := range b.OnlyBaseline {
		p.Line("   only in the baseline: %s", text.Clean(name))
	}
	for _, name := range b.OnlyHere {
		p.Line("   not in the baseline: %s", text.Clean(name))
	}
	return p.Err()
}

func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " of " + t.Local().Format("2006-01-02 15:04")
}

// apart is how far, as a fraction, the ratio of a comparison may be from that of the two medians
// before its sentence explains why.
const apart = 0.02

// Was returns the figures of the baseline as a run, for a table.
func (c BaselineComparison) Was() bench.Run {
	return bench.Run{Name: "baseline", P50: c.P50Was, CI95: c.CI95Was, P90: c.P90Was, P99: c.P99Was, Throughput: c.ThroughputWas}
}

// Sentence describes the result of a comparison. limit is the fraction by which a subject may have
// become slower. Names are made safe to print.
func (c BaselineComparison) Sentence(limit float64) string {
	between := ", too few blocks for an interval"
	if c.CI95 != nil {
		between = fmt.Sprintf(", 95 %% between %.4g and %.4g", float64(c.CI95[0]), float64(c.CI95[1]))
	}
	between += fmt.Sprintf("; p50 %s, was %s", bench.Latency(c.P50), bench.Latency(c.P50Was))
	if medians := float64(c.P50 / c.P50Was); !(math.Abs(medians/float64(c.Ratio)-1) <= apart) {
		between += fmt.Sprintf(", which is %.4g; the ratio is the middle of those of all pairs of blocks, so it can differ", medians)
	}
	what := map[string]string{
		Regression: fmt.Sprintf("regression: more than %.3g %% slower than the baseline", 100*limit),
		Faster:     "faster than the baseline",
		Within:     fmt.Sprintf("within %.3g %% of the baseline", 100*limit),
		Unclear:    fmt.Sprintf("unclear whether within %.3g %% of the baseline", 100*limit),
		Slower:     "slower than the baseline",
	}[c.Verdict]
	if limit == NoLimit && c.Verdict == Unclear {
		what = "neither clearly slower nor clearly faster than the baseline"
	}
	if isNoisy := c.Noise != "" || c.NoiseWas != ""; isNoisy && (c.Verdict == Faster || c.Verdict == Slower) {
		what = "perhaps " + what + ", which ran at another time, and one of the two is noisy"
	}
	name := text.Clean(c.Here)
	if c.Baseline != c.Here {
		name += " against " + text.Clean(c.Baseline)
	}
	s := fmt.Sprintf("%s: %s (ratio %.4g%s)", name, what, float64(c.Ratio), between)
	if c.Alike {
		s += "; the times rose and fell slowly, so the true interval is wider"
	}
	if c.Noise != "" {
		s += "; " + text.CleanLine(c.Noise)
	}
	if c.NoiseWas != "" {
		s += "; the baseline is " + text.CleanLine(c.NoiseWas)
	}
	return s
}
