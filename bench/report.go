package bench

import (
	"math"
)

// Report is what a measurement found, with the keys of `lathe bench --json`.
type Report struct {
	Runs []Run `json:"runs"`
	// Comparisons are those of every subject with the first.
	Comparisons []Comparison `json:"comparisons"`
	Environment Environment  `json:"environment"`
	// Warnings concern the machine and so every number.
	Warnings []Warning `json:"warnings"`
}

// Facts is what a caller knows about a subject, or learns after the measurement.
// Null stands for what is unknown.
type Facts struct {
	Model      string           `json:"model"`
	On         string           `json:"on,omitempty"` // the launcher that led to where it runs
	EP         string           `json:"ep"`           // execution providers asked for
	EPAttached *string          `json:"ep_attached"`  // the one that runs it
	NodesByEP  map[string]int64 `json:"nodes_by_ep"`
	Batch      int64            `json:"batch"` // samples in one run; 0 counts as 1
	SessionMS  *Number          `json:"session_ms"`
	FirstRunMS *Number          `json:"first_run_ms"`
	// NewShapeMS is the first run at the shapes of another subject of the same model, in a
	// session that is warm; null where there is none.
	NewShapeMS  *Number `json:"new_shape_ms,omitempty"`
	PeakRSS     *int64  `json:"peak_rss_bytes"`
	DeviceBytes *int64  `json:"device_bytes"`
	// Memory is that of a pass of its own; nil where none was made.
	Memory *Memory `json:"memory,omitempty"`
}

// Run is the measurement of one subject. Times are in milliseconds.
type Run struct {
	Name string `json:"name"`
	Facts
	P50  Number  `json:"p50_ms"`
	P90  *Number `json:"p90_ms"` // null where no run lies above it
	P95  *Number `json:"p95_ms"`
	P99  *Number `json:"p99_ms"`
	P999 *Number `json:"p999_ms"` // null where fewer than ten do
	Min  Number  `json:"min_ms"`
	Max  Number  `json:"max_ms"`
	Mean Number  `json:"mean_ms"`
	// CI95 is the interval of the median of the blocks' medians; null with fewer
	// than 6 blocks.
	CI95       *[2]Number `json:"ci95_ms"`
	Samples    int        `json:"samples"`
	Blocks     int        `json:"blocks"`
	Outliers   int        `json:"outliers"`
	Throughput Number     `json:"throughput"` // samples of the batch per second
	Phases     Phases     `json:"phases"`
	Stopped    string     `json:"stopped"` // one of the Stopped constants
	Verdict    string     `json:"verdict"` // "steady", or "noisy because …"
	Warnings   []Warning  `json:"warnings"`
	// BlockMedians are those of the blocks in the order of time: what a later
	// measurement is compared with.
	BlockMedians []Number  `json:"block_medians_ms"`
	Histogram    Histogram `json:"histogram"`
}

// Phases is where the time of a subject went, in milliseconds. Session and first
// run are in Facts.
type Phases struct {
	WarmUp  Number `json:"warmup_ms"`
	Measure Number `json:"measure_ms"`
}

// report turns the tracks into numbers.
func (e *engine) report() *Report {
	r := &Report{Runs: []Run{}, Comparisons: []Comparison{}, Warnings: []Warning{}}
	for _, t := range e.tracks {
		r.Runs = append(r.Runs, e.run(t))
	}
	for _, t := range e.tracks[1:] {
		r.Comparisons = append(r.Comparisons, compareTracks(e.tracks[0], t))
	}
	return r
}

func (e *engine) run(t *track) Run {
	sorted := t.sortedTimes()
	average := mean(sorted)
	r := Run{
		Name: t.subject.Name(), Facts: t.subject.Facts,
		P50: Number(quantile(sorted, 0.5)),
		P90: tail(sorted, 0.9, 1), P95: tail(sorted, 0.95, 1),
		P99: tail(sorted, 0.99, 1), P999: tail(sorted, 0.999, 10),
		Min: Number(sorted[0]), Max: Number(sorted[len(sorted)-1]), Mean: Number(average),
		Samples: len(sorted), Blocks: len(t.blocks), Outliers: outliers(sorted),
		Throughput: Number(float64(max(t.subject.Batch, 1)) * 1000 / average),
		Phases:     Phases{Number(milliseconds(t.warmUp)), Number(milliseconds(t.spent))},
		Stopped:    t.finished,
		Histogram:  histogramOf(sorted),
		Warnings:   e.warnings(t, sorted),
	}
	for _, m := range t.blockMedians() {
		r.BlockMedians = append(r.BlockMedians, Number(m))
	}
	if i := medianInterval(t.blockMedians(), intervalConfidence); i.isFinite() {
		r.CI95 = &[2]Number{Number(i.lo), Number(i.hi)}
	}
	r.Verdict = verdict(r.Warnings)
	return r
}

// precision is half the width of the median's interval, relative, or NaN.
func (r Run) precision() float64 {
	if r.CI95 == nil {
		return math.NaN()
	}
	return interval{lo: float64(r.CI95[0]), hi: float64(r.CI95[1])}.precision()
}
