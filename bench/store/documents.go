package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/bench"
	"lathe/bench/profile"
)

// Bench returns the document of a result of kind KindBench. It returns an error for other kinds,
// and for numbers that are not valid.
func (r *Result) Bench() (*bench.Report, error) {
	if r.Kind != KindBench {
		return nil, r.isNo(KindBench)
	}
	var b bench.Report
	if err := decode(r.Document, &b); err != nil {
		return nil, err
	}
	return &b, readRuns(&b)
}

func (r *Result) isNo(kind string) error {
	return fmt.Errorf("is a result of lathe %s, expected a result of lathe %s", r.Kind, kind)
}

// The range of valid times of runs and blocks, in milliseconds: from a picosecond to about 30,000
// years.
const (
	leastTime = 1e-9
	mostTime  = 1e15
)

// readRuns checks the runs of a report. It replaces the medians in reports of older versions of
// Lathe: see bench.Report.Recentre.
func readRuns(b *bench.Report) error {
	if err := checkRuns(b); err != nil {
		return err
	}
	b.Recentre()
	return nil
}

// checkRuns returns an error if a report contains numbers that no measurement gives, such as
// negative times. Code that compares or draws them then need not check them.
func checkRuns(b *bench.Report) error {
	if len(b.Runs) == 0 {
		return errors.New("contains no run")
	}
	for _, run := range b.Runs {
		for _, m := range append([]bench.Number{run.P50}, run.BlockMedians...) {
			if !(m >= leastTime && m <= mostTime) {
				return fmt.Errorf("run %q: %v ms is not a possible time", run.Name, float64(m))
			}
		}
		others := []*bench.Number{&run.Min, &run.Max, &run.Mean, &run.Throughput, run.P90, run.P95, run.P99, run.P999, run.SessionMS, run.FirstRunMS, run.NewShapeMS, &run.Histogram.From, &run.Histogram.Width}
		if run.CI95 != nil {
			others = append(others, &run.CI95[0], &run.CI95[1])
		}
		others = append(others, &run.Phases.WarmUp, &run.Phases.Measure, &run.Rate)
		if d := run.Phases.Device; d != nil {
			others = append(others, &d.ToDevice, &d.Enqueue, &d.Complete, &d.ToHost)
		}
		if q := run.Queue; q != nil {
			others = append(others, &q.Rate, &q.PerS, &q.Busy, &q.RunMS, &q.WaitMS)
		}
		for _, n := range others {
			if n != nil && !(*n >= 0 && *n <= mostTime) {
				return fmt.Errorf("run %q: %v is not a possible value", run.Name, float64(*n))
			}
		}
		for _, n := range sizesOf(run) {
			if n != nil && (*n < 0 || *n > mostBytes) {
				return fmt.Errorf("run %q: %d bytes is not a possible amount of memory", run.Name, *n)
			}
		}
		if len(run.Histogram.Counts) > mostBins || slices.ContainsFunc(run.Histogram.Counts, func(n int) bool { return n < 0 }) {
			return fmt.Errorf("run %q: its histogram has too many bins (%d) or a negative count", run.Name, len(run.Histogram.Counts))
		}
	}
	for _, c := range b.Comparisons {
		for _, n := range []*bench.Number{&c.Ratio, c.Round} {
			if n != nil && !(*n >= 0 && *n <= mostTime) {
				return fmt.Errorf("%q against %q: %v is not a possible ratio", c.B, c.A, float64(*n))
			}
		}
		if c.CI95 != nil && !(c.CI95[0] >= 0 && c.CI95[1] <= mostTime && c.CI95[0] <= c.CI95[1]) {
			return fmt.Errorf("%q against %q: the interval from %v to %v is not possible", c.B, c.A, float64(c.CI95[0]), float64(c.CI95[1]))
		}
	}
	return nil
}

// mostBytes is the largest size that is accepted in a document. No memory and no model is that
// large.
const mostBytes = 1 << 60

// sizesOf returns all memory sizes of a run.
func sizesOf(r bench.Run) []*int64 {
	out := []*int64{r.PeakRSS, r.DeviceBytes}
	if m := r.Memory; m != nil {
		for _, u := range []bench.MemoryUse{m.Load, m.FirstRun, m.Steady} {
			out = append(out, u.Resident, u.Peak, u.Arena, u.Device)
		}
	}
	return out
}

// mostBins is the largest number of bins of a histogram that is accepted in a document.
const mostBins = 1000

// Validation is the part of the document of lathe validate that is shown again when the result is
// read from a file.
type Validation struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Outputs []Output `json:"outputs"`
	Judged
	Headline string `json:"headline"` // begins with the verdict and says why; empty in older documents
}

// The verdicts of a comparison of outputs.
const (
	Pass      = "pass"
	Fail      = "fail"
	Undecided = "undecided"
)

// Judged is the verdict on an output or on a whole comparison, as in a document.
type Judged struct {
	Verdict string `json:"verdict"`
	Pass    bool   `json:"pass"`
}

// Word returns Pass, Fail or Undecided. In documents of older versions of Lathe the field is a line
// that begins with this word, and outputs have no such field.
func (j Judged) Word() string {
	word, _, _ := strings.Cut(j.Verdict, ":")
	switch {
	case word == Pass || word == Fail || word == Undecided:
		return word
	case j.Pass:
		return Pass
	}
	return Fail
}

// Output is the comparison of one output of the model, for the test case in which it is worst.
type Output struct {
	Name        string        `json:"name"`
	Case        string        `json:"case"`
	MaxAbs      *bench.Number `json:"max_abs"`
	MaxRel      *bench.Number `json:"max_rel"`
	MeanAbs     *bench.Number `json:"mean_abs"`
	Cosine      *bench.Number `json:"cosine"`
	SNR         *bench.Number `json:"snr_db"`
	Mismatched  int64         `json:"mismatched"`
	Total       int64         `json:"total"`
	ArgmaxAgree *bench.Number `json:"argmax_agree"`
	Judged
}

// worst returns the output with the lowest signal-to-noise ratio, or nil.
func (v *Validation) worst() *Output {
	var worst *Output
	for i := range v.Outputs {
		o := &v.Outputs[i]
		if worst == nil || o.SNR != nil && (worst.SNR == nil || *o.SNR < *worst.SNR) {
			worst = o
		}
	}
	return worst
}

// Validation returns the document of a result of kind KindValidate. It returns an error for other
// kinds.
func (r *Result) Validation() (*Validation, error) {
	if r.Kind != KindValidate {
		return nil, r.isNo(KindValidate)
	}
	v := &Validation{}
	return v, decode(r.Document, v)
}

// Quantization is the part of the document of lathe quantize that is shown again when the result is
// read from a file.
type Quantization struct {
	Before    Extent          `json:"before"`
	After     Extent          `json:"after"`
	Quantized []QuantizedNode `json:"quantized"`
	Skipped   []SkippedNode   `json:"skipped"`
	Trial     *Trial          `json:"trial"`
}

// Extent is the size of a model: its bytes and its nodes.
type Extent struct {
	Bytes int64 `json:"bytes"`
	Nodes int   `json:"nodes"`
}

// QuantizedNode is a node whose weight became smaller.
type QuantizedNode struct {
	Node        string `json:"node"`
	Op          string `json:"op"`
	BytesBefore int64  `json:"bytes_before"`
	BytesAfter  int64  `json:"bytes_after"`
}

// SkippedNode is a node that was left unchanged.
type SkippedNode struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

// Trial is the comparison of the quantized model with the original: its accuracy and its latency.
type Trial struct {
	NotRun     string        `json:"not_run"`
	OnData     bool          `json:"on_data"`
	Validation *Validation   `json:"validation"`
	Bench      *bench.Report `json:"bench"`
}

// Quantization returns the document of a result of kind KindQuantize. It returns an error for other
// kinds, and for numbers that are not valid.
func (r *Result) Quantization() (*Quantization, error) {
	if r.Kind != KindQuantize {
		return nil, r.isNo(KindQuantize)
	}
	q := &Quantization{}
	if err := decode(r.Document, q); err != nil {
		return nil, err
	}
	for _, n := range []int64{q.Before.Bytes, q.After.Bytes} {
		if n < 0 || n > mostBytes {
			return nil, fmt.Errorf("%d bytes is not a possible size of a model", n)
		}
	}
	if q.Trial != nil && q.Trial.Bench != nil {
		return q, readRuns(q.Trial.Bench)
	}
	return q, nil
}

// Sensitivity is the part of the document of lathe quantize sensitivity that a page shows.
type Sensitivity struct {
	Mode   string             `json:"mode"`
	Inputs string             `json:"inputs"`
	Layers []SensitivityLayer `json:"layers"`
}

// SensitivityLayer is a node that could be quantized. SNR is nil if it was not measured.
type SensitivityLayer struct {
	Node       string        `json:"node"`
	Op         string        `json:"op"`
	SNR        *bench.Number `json:"snr_db"`
	Estimated  bench.Number  `json:"estimated_snr_db"`
	BytesSaved int64         `json:"bytes_saved"`
	Failed     string        `json:"failed"`
}

// Sensitivity returns the document of a result of kind KindSensitivity. It returns an error for other
// kinds, and for numbers that are not valid.
func (r *Result) Sensitivity() (*Sensitivity, error) {
	if r.Kind != KindSensitivity {
		return nil, r.isNo(KindSensitivity)
	}
	s := &Sensitivity{}
	if err := decode(r.Document, s); err != nil {
		return nil, err
	}
	for _, l := range s.Layers {
		if l.BytesSaved > mostBytes || l.BytesSaved < -mostBytes {
			return nil, fmt.Errorf("%d bytes is not a possible saving", l.BytesSaved)
		}
	}
	return s, nil
}

// Profile is the part of the document of lathe profile that is shown again when the result is read
// from a file.
type Profile struct {
	Model string        `json:"model"`
	Nodes []ProfileNode `json:"nodes"`
	Runs  int           `json:"runs"`
	Notes []string      `json:"notes"`
	Token *TokenTimes   `json:"token"` // nil unless the model has a cache
}

// TokenTimes says where the time of a run of a language model goes.
type TokenTimes struct {
	Tokens int64       `json:"tokens"` // new tokens of a sequence in a run
	Depth  int64       `json:"depth"`  // positions in the cache before
	Batch  int64       `json:"batch"`
	Layers int         `json:"layers"`
	Parts  []TokenPart `json:"parts"`
}

// TokenPart is one part of the work of such a run.
type TokenPart struct {
	Part        string       `json:"part"`
	Nodes       int          `json:"nodes"`
	US          bench.Number `json:"us"`
	Share       bench.Number `json:"share"`
	WeightBytes int64        `json:"weight_bytes"`
	CacheBytes  int64        `json:"cache_bytes"`
}

// ProfileNode is the time of one node, in microseconds per run.
type ProfileNode struct {
	Name  string       `json:"name"`
	Op    string       `json:"op"`
	EP    string       `json:"ep"`
	US    bench.Number `json:"us"`
	Share bench.Number `json:"share"`
}

// Profile returns the document of a result of kind KindProfile. It returns an error for other
// kinds, and for numbers that are not valid.
func (r *Result) Profile() (*Profile, error) {
	if r.Kind != KindProfile {
		return nil, r.isNo(KindProfile)
	}
	p := &Profile{}
	if err := decode(r.Document, p); err != nil {
		return nil, err
	}
	for _, n := range p.Nodes {
		if !(n.US >= 0 && n.US <= mostTime) {
			return nil, fmt.Errorf("node %q: %v µs is not a possible time", n.Name, float64(n.US))
		}
	}
	if p.Token != nil {
		for _, part := range p.Token.Parts {
			if !(part.US >= 0 && part.US <= mostTime) || part.WeightBytes < 0 || part.CacheBytes < 0 {
				return nil, fmt.Errorf("part %q of a token: %v µs, %d and %d bytes are not possible", part.Part, float64(part.US), part.WeightBytes, part.CacheBytes)
			}
		}
	}
	return p, nil
}

// times returns a profile in the form in which it can be shown on the nodes of its model.
func (r *Result) times() (*profile.Result, error) {
	if _, err := r.Profile(); err != nil {
		return nil, err
	}
	out := &profile.Result{}
	if err := decode(r.Document, out); err != nil {
		return nil, err
	}
	for _, n := range out.Nodes {
		if !(n.Share >= 0 && n.Share <= 1+1e-6) {
			return nil, fmt.Errorf("node %q: %v is not a possible share", n.Name, float64(n.Share))
		}
	}
	return out, nil
}
