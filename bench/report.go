package bench

import (
	"fmt"
	"time"

	"lathe/graphops"
)

// Report is what a measurement found, with the keys of `lathe bench --json`.
type Report struct {
	Runs []Run `json:"runs"`
	// Comparisons are of subjects that differ in one thing alone: see Along.
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
	// Sizes are those of the axes that the model leaves free.
	Sizes graphops.Sizes `json:"sizes,omitempty"`
	// Concurrency is how many runs go on at once, all the time; 0 counts as 1.
	Concurrency int64 `json:"concurrency,omitempty"`
	// Rate is how many requests come a second; 0 where one run follows the other.
	Rate       Number  `json:"rate,omitempty"`
	SessionMS  *Number `json:"session_ms"`
	FirstRunMS *Number `json:"first_run_ms"`
	// NewShapeMS is the first run at the shapes of another subject of the same model, in a
	// session that is warm; null where there is none.
	NewShapeMS  *Number `json:"new_shape_ms,omitempty"`
	PeakRSS     *int64  `json:"peak_rss_bytes"`
	DeviceBytes *int64  `json:"device_bytes"`
	// Memory is that of a pass of its own; nil where none was made.
	Memory *Memory `json:"memory,omitempty"`
	// Place says what the subject is compared with.
	Place Place `json:"-"`
}

// Run is the measurement of one subject. Times are in milliseconds.
type Run struct {
	Name string `json:"name"`
	Facts
	// P50 is the median of the blocks' medians, which CI95 is the interval of: each block counts
	// once, and a moment at which the machine was fast no more because it had room for more runs.
	P50  Number  `json:"p50_ms"`
	P90  *Number `json:"p90_ms"` // of all runs, as those below; null where no run lies above it
	P95  *Number `json:"p95_ms"`
	P99  *Number `json:"p99_ms"`
	P999 *Number `json:"p999_ms"` // null where fewer than ten do
	Min  Number  `json:"min_ms"`
	Max  Number  `json:"max_ms"`
	Mean Number  `json:"mean_ms"`
	// CI95 is the interval of P50; null with fewer than 6 blocks.
	CI95       *[2]Number `json:"ci95_ms"`
	Samples    int        `json:"samples"`
	Blocks     int        `json:"blocks"`
	Outliers   int        `json:"outliers"`
	Throughput Number     `json:"throughput"` // samples of the batch per second
	// Queue is what became of requests that come at a rate; nil without one.
	Queue    *Queue    `json:"queue,omitempty"`
	Phases   Phases    `json:"phases"`
	Stopped  string    `json:"stopped"` // one of the Stopped constants
	Verdict  string    `json:"verdict"` // "steady", or "noisy because …"
	Warnings []Warning `json:"warnings"`
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
	// Device is what a run consists of on a device with memory of its own; nil on the host.
	Device *DevicePhases `json:"device,omitempty"`
}

// DevicePhases are medians, in milliseconds.
type DevicePhases struct {
	ToDevice Number `json:"to_device_ms"` // inputs brought to the device
	Enqueue  Number `json:"enqueue_ms"`   // the run given to the device: what the processor does for it
	Complete Number `json:"complete_ms"`  // from its beginning until the device is done
	ToHost   Number `json:"to_host_ms"`   // by how much a run takes longer that brings its outputs to the host
}

// NewDevicePhases are the medians of what was timed; toHost are whole runs that bring their
// outputs to the host.
func NewDevicePhases(toDevice, enqueued, complete, toHost []time.Duration) *DevicePhases {
	median := func(list []time.Duration) Number { return Number(milliseconds(medianOf(list))) }
	return &DevicePhases{median(toDevice), median(enqueued), median(complete), max(median(toHost)-median(complete), 0)}
}

// String tells them in their order.
func (d *DevicePhases) String() string {
	s := fmt.Sprintf("on the device: inputs %s, enqueued in %s, complete in %s, outputs %s",
		Latency(d.ToDevice), Latency(d.Enqueue), Latency(d.Complete), Latency(d.ToHost))
	if d.Enqueue > mostlyEnqueueing*d.Complete {
		s += "; the processor is what it waits for"
	}
	return s
}

// mostlyEnqueueing is the part of a run from which the device waits for the processor.
const mostlyEnqueueing = 0.9

// report turns the tracks into numbers.
func (e *engine) report() *Report {
	r := &Report{Runs: []Run{}, Comparisons: []Comparison{}, Warnings: []Warning{}}
	for _, t := range e.tracks {
		r.Runs = append(r.Runs, e.run(t))
	}
	for _, p := range e.pairs() {
		r.Comparisons = append(r.Comparisons, compareTracks(e.tracks[p.a], e.tracks[p.b]))
		r.Comparisons[len(r.Comparisons)-1].Along = p.along
	}
	return r
}

func (e *engine) run(t *track) Run {
	sorted := t.sortedTimes()
	average := mean(sorted)
	center := medianInterval(t.blockMedians())
	r := Run{
		Name: t.subject.Name(), Facts: t.subject.Facts,
		P50: Number(center.center),
		P90: tail(sorted, 0.9, 1), P95: tail(sorted, 0.95, 1),
		P99: tail(sorted, 0.99, 1), P999: tail(sorted, 0.999, 10),
		Min: Number(sorted[0]), Max: Number(sorted[len(sorted)-1]), Mean: Number(average),
		Samples: len(sorted), Blocks: len(t.blocks), Outliers: outliers(sorted),
		// So many runs are always on their way, each for the average time: Little's law.
		Throughput: Number(float64(max(t.subject.Batch, 1)*max(t.subject.Concurrency, 1)) * 1000 / average),
		Phases:     Phases{WarmUp: Number(milliseconds(t.warmUp)), Measure: Number(milliseconds(t.spent))},
		Stopped:    t.finished,
		Histogram:  histogramOf(sorted),
		Warnings:   e.warnings(t, sorted),
	}
	for _, m := range t.blockMedians() {
		r.BlockMedians = append(r.BlockMedians, Number(m))
	}
	if center.isFinite() {
		r.CI95 = &[2]Number{Number(center.lo), Number(center.hi)}
	}
	r.Verdict = verdict(r.Warnings)
	return r
}
