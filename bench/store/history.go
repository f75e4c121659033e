package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"lathe/bench"
)

// Entry is one entry of a history: what a result says about one of its subjects, or about its
// model. Values that the result does not contain are nil.
type Entry struct {
	Time     time.Time `json:"time"`
	Kind     string    `json:"kind"`
	File     string    `json:"file"`
	Model    string    `json:"model"` // the path as the user gave it
	Absolute string    `json:"absolute,omitempty"`
	Content  string    `json:"content"` // checksum of the content, or else of the structure
	Covers   string    `json:"covers"`  // which part of the weights the checksum covers
	Machine  string    `json:"machine"`
	// MachineID is Machine.ID; it distinguishes machines with the same name.
	MachineID string   `json:"machine_id"`
	Settings  Settings `json:"settings"`
	Shapes    Shapes   `json:"shapes,omitempty"` // of the inputs

	Bytes      int64            `json:"bytes"`
	P50        *bench.Number    `json:"p50_ms"`
	CI95       *[2]bench.Number `json:"ci95_ms"`
	Throughput *bench.Number    `json:"throughput"`
	PeakRSS    *int64           `json:"peak_rss_bytes"`
	Verdict    string           `json:"verdict,omitempty"`
	Noise      string           `json:"noise,omitempty"`      // why the time may be doubtful, in a few words
	BrokenOff  bool             `json:"broken_off,omitempty"` // the measurement was ended before its time
	// SNR and MaxAbs are those of the worst output, if outputs were compared. Pass says whether the
	// comparison passed.
	SNR    *bench.Number `json:"snr_db"`
	MaxAbs *bench.Number `json:"max_abs"`
	Pass   *bool         `json:"pass"`
	// Judged is Pass, Fail or Undecided; empty if outputs were not compared.
	Judged string `json:"judged"`
	// Top1 is the share of rows that the model has right, with its 95 % interval. Perplexity is that of
	// texts, and Score the number of the user's script.
	Top1       *bench.Number    `json:"top1,omitempty"`
	Top1CI95   *[2]bench.Number `json:"top1_ci95,omitempty"`
	Perplexity *bench.Number    `json:"perplexity,omitempty"`
	Score      *bench.Number    `json:"score,omitempty"`
}

// History is the list of earlier measurements.
type History struct {
	Schema string `json:"schema"`
	Folder string `json:"folder"`
	Model  string `json:"model,omitempty"` // the requested model
	// Results are sorted, the newest first.
	Results []Entry `json:"results"`
	// Older is the number of results that are not in Results because of the limit.
	Older int `json:"older"`
	// Elsewhere maps the names of other machines to the number of their results, which are left
	// out.
	Elsewhere map[string]int `json:"elsewhere"`
	Skipped   []Skipped      `json:"skipped"`

	wanted []Entry // including older ones, because charts show more than the limit
}

// historySchema is the name and version of the JSON form of a History.
const historySchema = "lathe.history/1"

// Query selects a part of the history.
type Query struct {
	// Model is the requested model; nil for all models. It selects results of a model with the same
	// content. It also selects results of a model at the same path, because that is an earlier
	// version of the model.
	Model *Model
	// Here is this machine. Only its results are returned, unless Machine or All is set.
	Here    Machine
	Machine string // part of the name of the requested machine, or the beginning of its ID
	All     bool
	Limit   int // maximum number of results; 0 for no limit
}

// History returns the results in the folder that q selects.
func (f Folder) History(ctx context.Context, q Query) (*History, error) {
	results, skipped, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	h := &History{Schema: historySchema, Folder: f.Path, Results: []Entry{}, Elsewhere: map[string]int{}, Skipped: orEmpty(skipped)}
	if q.Model != nil {
		h.Model = q.Model.Path
	}
	for _, r := range results {
		entries, err := entriesOf(r)
		if err != nil {
			h.Skipped = append(h.Skipped, Skipped{r.File, err.Error()})
			continue
		}
		for _, e := range entries {
			switch {
			case !q.wantsModel(r, e.model):
			case !q.wantsMachine(r.Machine):
				h.Elsewhere[r.Machine.Name]++
			default:
				h.wanted = append(h.wanted, e.Entry)
			}
		}
	}
	h.Results = orEmpty(h.wanted)
	if q.Limit > 0 && len(h.wanted) > q.Limit {
		h.Results, h.Older = h.wanted[:q.Limit], len(h.wanted)-q.Limit
	}
	return h, nil
}

func (q Query) wantsModel(r *Result, at int) bool {
	if q.Model == nil {
		return true
	}
	m := r.Models[at]
	return m.Same(*q.Model) || m.Absolute != "" && m.Absolute == q.Model.Absolute && m.On == q.Model.On
}

func (q Query) wantsMachine(m Machine) bool {
	switch {
	case q.All:
		return true
	case q.Machine != "":
		return strings.Contains(strings.ToLower(m.Name), strings.ToLower(q.Machine)) || strings.HasPrefix(m.ID, q.Machine)
	}
	return m.ID == q.Here.ID
}

// placed is an entry and the index of its model in Result.Models.
type placed struct {
	Entry
	model int
}

// entriesOf returns the entries of a result: one for each run of a measurement, and one for any
// other result.
func entriesOf(r *Result) ([]placed, error) {
	if len(r.Models) == 0 {
		return nil, fmt.Errorf("names no model")
	}
	last := len(r.Models) - 1
	switch r.Kind {
	case KindBench:
		return entriesOfRuns(r)
	case KindValidate:
		v, err := r.Validation()
		if err != nil {
			return nil, err
		}
		e := entryOf(r, last, nil)
		e.judged(v)
		return []placed{e}, nil
	case KindAccuracy:
		a, err := r.Accuracy()
		if err != nil {
			return nil, err
		}
		e := entryOf(r, last, nil)
		e.measured(a)
		return []placed{e}, nil
	case KindQuantize:
		q, err := r.Quantization()
		if err != nil {
			return nil, err
		}
		e := entryOf(r, last, nil)
		e.Bytes = q.After.Bytes
		if q.Trial != nil && q.Trial.Validation != nil {
			e.judged(q.Trial.Validation)
		}
		if q.Trial != nil && q.Trial.Bench != nil {
			e.timed(q.Trial.Bench, q.Trial.Bench.Runs[len(q.Trial.Bench.Runs)-1])
		}
		return []placed{e}, nil
	}
	e := entryOf(r, last, nil)
	if r.Kind == KindProfile {
		e.profiled(r.Document)
	}
	return []placed{e}, nil
}

func entriesOfRuns(r *Result) ([]placed, error) {
	b, err := r.Bench()
	if err != nil {
		return nil, err
	}
	if len(b.Runs) != len(r.Subjects) {
		return nil, fmt.Errorf("lists %d subjects but has %d runs", len(r.Subjects), len(b.Runs))
	}
	var out []placed
	for i, run := range b.Runs {
		e := entryOf(r, r.Subjects[i].Model, &r.Subjects[i])
		e.timed(b, run)
		out = append(out, e)
	}
	return out, nil
}

// entryOf returns the entry of subject s of a result, without its numbers. If s is nil, it uses the
// last subject of the model.
func entryOf(r *Result, model int, s *Subject) placed {
	m := r.Models[model]
	if s == nil {
		s = &Subject{}
		for i := range r.Subjects {
			if r.Subjects[i].Model == model {
				s = &r.Subjects[i]
			}
		}
	}
	sum := m.Content
	if sum == "" {
		sum = m.Structure
	}
	return placed{Entry{
		Time: r.Time, Kind: r.Kind, File: r.File, Model: m.Path, Absolute: m.Absolute, Content: sum, Covers: m.Covers,
		Machine: r.Machine.Name, MachineID: r.Machine.ID, Settings: orNone(s.Settings), Shapes: s.Shapes, Bytes: m.Bytes,
	}, model}
}

func (e *Entry) timed(of *bench.Report, r bench.Run) {
	e.Noise = of.Noise(r.Name)
	e.BrokenOff = r.Stopped == bench.StoppedShort
	p50, rate := r.P50, r.Throughput
	e.P50, e.CI95, e.Throughput, e.PeakRSS, e.Verdict = &p50, r.CI95, &rate, r.PeakRSS, r.Verdict
}

// profiled takes the time of a run without profiling, which a trace of ONNX Runtime does not have. What
// cannot be read stays unknown: the list of nodes does not need it.
func (e *Entry) profiled(document []byte) {
	var said struct {
		US    *bench.Number    `json:"plain_us"`
		CI95  *[2]bench.Number `json:"plain_ci95_us"`
		Noise string           `json:"noise"`
	}
	if json.Unmarshal(document, &said) != nil || said.US == nil || !(*said.US > 0 && *said.US < mostTime) {
		return
	}
	ms := *said.US / 1000
	e.P50, e.Noise = &ms, said.Noise
	if c := said.CI95; c != nil {
		e.CI95 = &[2]bench.Number{c[0] / 1000, c[1] / 1000}
	}
}

func (e *Entry) judged(v *Validation) {
	pass := v.Word() == Pass
	e.Pass, e.Judged = &pass, v.Word()
	if worst := v.worst(); worst != nil {
		e.SNR, e.MaxAbs = worst.SNR, worst.MaxAbs
	}
}

func orNone(s Settings) Settings {
	if s == nil {
		return Settings{}
	}
	return s
}
