package bench

import (
	"fmt"
	"time"

	"lathe/graphops/dim"
	"lathe/session/text"
)

// Report is the result of a measurement, with the keys of `lathe bench --json`.
type Report struct {
	Runs []Run `json:"runs"`
	// Comparisons are between subjects that differ in one option only, which Comparison.Along
	// names.
	Comparisons []Comparison `json:"comparisons"`
	Environment Environment  `json:"environment"`
	// Warnings are about the machine and therefore concern all numbers. Warnings about one subject
	// are in its Run.
	Warnings []Warning `json:"warnings"`
}

// Facts are what a caller knows about a subject, or finds out after the measurement. Null means not
// known.
type Facts struct {
	Model      string           `json:"model"`
	On         string           `json:"on,omitempty"` // the launcher to the machine where it runs; empty for this machine
	EP         string           `json:"ep"`           // requested execution providers
	EPAttached *string          `json:"ep_attached"`  // the provider that runs it
	NodesByEP  map[string]int64 `json:"nodes_by_ep"`
	Batch      int64            `json:"batch"` // samples in one run; 0 means 1
	// Threads is the number of threads within an operator; 0 if the runtime chose it.
	Threads int64 `json:"threads,omitempty"`
	// Sizes are the sizes that the model's dynamic axes had in the runs.
	Sizes dim.Sizes `json:"sizes,omitempty"`
	// Concurrency is how many runs are always in progress at once; 0 means 1.
	Concurrency int64 `json:"concurrency,omitempty"`
	// Rate is the number of requests per second; 0 if one run follows the other.
	Rate       Number  `json:"rate,omitempty"`
	SessionMS  *Number `json:"session_ms"`
	FirstRunMS *Number `json:"first_run_ms"`
	// NewShapeMS is the time of the first run with input shapes that the session had not seen
	// before: those of another subject of the same model. It is null if there is no such subject.
	NewShapeMS  *Number `json:"new_shape_ms,omitempty"`
	PeakRSS     *int64  `json:"peak_rss_bytes"`
	DeviceBytes *int64  `json:"device_bytes"`
	// GraphCapture is set if the timed runs replay work that the device was given in an earlier run.
	GraphCapture *GraphCapture `json:"graph_capture,omitempty"`
	// Decode is set if the runs are those of a language model that reads a prompt, or generates.
	Decode *Decode `json:"decode,omitempty"`
	// Memory was measured in a separate pass; nil if there was none.
	Memory *Memory `json:"memory,omitempty"`
	// Place is the position of the subject in a sweep. It decides which other subjects it is
	// compared with.
	Place Place `json:"-"`
}

// GraphCapture says how the graph was captured that timed runs replay.
type GraphCapture struct {
	// RunsBefore is how many runs the runtime made before the one that it captured, as parts of the
	// first run.
	RunsBefore int64 `json:"runs_before"`
	// MaxAbs is the largest difference between an output of a replay and that of a run without
	// capture.
	MaxAbs Number `json:"max_abs"`
}

// String says what the timed runs do.
func (g *GraphCapture) String() string {
	same := "that of a run without capture"
	if g.MaxAbs > 0 {
		same = fmt.Sprintf("within %.3g of that of a run without capture", float64(g.MaxAbs))
	}
	when := "in the first run"
	if g.RunsBefore > 0 {
		when = fmt.Sprintf("after %s", text.Plural(int(g.RunsBefore), "run"))
	}
	return fmt.Sprintf("every timed run replays a graph that was captured %s; the result of a replay is %s", when, same)
}

// Run is the measurement of one subject. Times are in milliseconds.
type Run struct {
	Name string `json:"name"`
	Facts
	// P50 is the median of the blocks' medians, and CI95 is its confidence interval. Each block
	// counts once, so a moment at which the machine was fast does not count more because it had
	// more runs.
	P50  Number  `json:"p50_ms"`
	P90  *Number `json:"p90_ms"` // of all runs, like the following; null if no run is above it
	P95  *Number `json:"p95_ms"`
	P99  *Number `json:"p99_ms"`
	P999 *Number `json:"p999_ms"` // null if fewer than ten runs are above it
	Min  Number  `json:"min_ms"`
	Max  Number  `json:"max_ms"`
	Mean Number  `json:"mean_ms"`
	// CI95 is the interval of P50; null with fewer than 6 blocks.
	CI95       *[2]Number `json:"ci95_ms"`
	Samples    int        `json:"samples"`
	Blocks     int        `json:"blocks"`
	Outliers   int        `json:"outliers"`
	Throughput Number     `json:"throughput"` // samples per second, counting the batch
	// Queue is the result for requests that arrive at a rate; otherwise nil.
	Queue    *Queue    `json:"queue,omitempty"`
	Phases   Phases    `json:"phases"`
	Stopped  string    `json:"stopped"` // one of the Stopped constants
	Verdict  string    `json:"verdict"` // "steady", or "noisy because …"
	Warnings []Warning `json:"warnings"`
	// BlockMedians are the medians of the blocks in order of time. A later measurement that has
	// this one as its baseline is compared with them.
	BlockMedians []Number  `json:"block_medians_ms"`
	Histogram    Histogram `json:"histogram"`
}

// Phases are the times of a subject's phases, in milliseconds. Session and first run are in Facts.
type Phases struct {
	WarmUp  Number `json:"warmup_ms"`
	Measure Number `json:"measure_ms"`
	// Device are the parts of a run on a device with its own memory; nil on the host.
	Device *DevicePhases `json:"device,omitempty"`
}

// DevicePhases are the median times of the parts of a run, in milliseconds.
type DevicePhases struct {
	ToDevice Number `json:"to_device_ms"` // copying the inputs to the device
	Enqueue  Number `json:"enqueue_ms"`   // enqueueing the run; the processor's part of the work
	Complete Number `json:"complete_ms"`  // from the start of the run until the device is done
	// additional time of a run that copies its outputs to the host
	ToHost Number `json:"to_host_ms"`
}

// NewDevicePhases returns the medians of the measured times. toHost are times of whole runs that
// copy their outputs to the host.
func NewDevicePhases(toDevice, enqueued, complete, toHost []time.Duration) *DevicePhases {
	median := func(list []time.Duration) Number { return Number(milliseconds(medianOf(list))) }
	return &DevicePhases{median(toDevice), median(enqueued), median(complete), max(median(toHost)-median(complete), 0)}
}

// String describes the phases in the order in which they happen.
func (d *DevicePhases) String() string {
	s := fmt.Sprintf("on the device: inputs %s, enqueued in %s, complete in %s, outputs %s",
		Latency(d.ToDevice), Latency(d.Enqueue), Latency(d.Complete), Latency(d.ToHost))
	if d.Enqueue > mostlyEnqueueing*d.Complete {
		s += "; the device waits for the processor"
	}
	return s
}

// mostlyEnqueueing is the fraction of a run's time that enqueueing may take. Above it the device
// probably waits for the processor.
const mostlyEnqueueing = 0.9

// report returns the report of what was measured so far.
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
	center := blocksInterval(t.blockMedians())
	r := Run{
		Name: t.subject.Name(), Facts: t.subject.Facts,
		P50: Number(center.center),
		P90: tail(sorted, 0.9, 1), P95: tail(sorted, 0.95, 1),
		P99: tail(sorted, 0.99, 1), P999: tail(sorted, 0.999, 10),
		Min: Number(sorted[0]), Max: Number(sorted[len(sorted)-1]), Mean: Number(average),
		Samples: len(sorted), Blocks: len(t.blocks), Outliers: outliers(sorted),
		// The number of runs in progress is constant, so the throughput follows from the mean time
		// (Little's law).
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
	r.Decode = r.Decode.Timed(&r)
	return r
}
