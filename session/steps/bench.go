package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/text"
)

// Bench measures how long models take, side by side.
type Bench struct {
	Models       []string
	EP           []string
	Batch        string
	Seconds      float64
	Precision    float64
	WarmUp, Runs int64
	OnDevice     bool
	feeding
	running
}

// Name implements session.Step.
func (*Bench) Name() string { return "bench" }

// Summary implements session.Step.
func (*Bench) Summary() string { return "measure latency, interleaved, with intervals" }

// Options implements session.Step.
func (s *Bench) Options() []session.Option {
	options := []session.Option{
		session.Paths(&s.Models, "models", "the models to measure; the first is what the others are compared with").AsOperand().AsRequired(),
		session.List(&s.EP, "ep", "run on this `CHAIN` of execution providers, as cuda,cpu; repeat to sweep"),
		session.Text(&s.Batch, "batch", "sizes of the batch axis, as 1,8"),
		session.Float(&s.Seconds, "seconds", "the most to measure each model; 5 without it"),
		session.Float(&s.Precision, "precision", "stop when the median is known this well, in percent; 1 without it"),
		session.Int(&s.WarmUp, "warmup", "with --runs: runs before those that count", 1),
		session.Int(&s.Runs, "runs", "measure this many runs, no more and no less", 1),
		session.Switch(&s.OnDevice, "outputs-on-device", "leave the outputs of a run on the device, and do not time bringing them to the host"),
	}
	return append(append(options, s.feeding.options()...), s.running.options()...)
}

// Preview implements session.Step; a measurement changes nothing, so it is the
// same.
func (s *Bench) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the files named, not on the current
// model.
func (s *Bench) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	batches, err := s.batches()
	if err != nil {
		return session.Result{}, err
	}
	// Of the machine as it is before this program adds to its load.
	environment, err := s.environment(ctx, env)
	if err != nil {
		return session.Result{}, err
	}
	targets, err := s.load(ctx, env, batches)
	defer func() {
		for _, t := range targets {
			_ = t.session.Close() // what it measured is in hand, or an error told
		}
	}()
	if err != nil {
		return session.Result{}, err
	}
	subjects := make([]bench.Subject, len(targets))
	for i, t := range targets {
		subjects[i] = bench.Subject{Target: t, Facts: t.facts()}
	}
	report, err := bench.Measure(ctx, subjects, s.plan(), time.Now, func(p bench.Progress) {
		env.Progress(session.Progress{Phase: p.Phase + " " + p.Target, Done: p.Done.Milliseconds(), Total: p.Limit.Milliseconds(), Unit: "ms"})
	})
	if err != nil {
		return session.Result{}, err
	}
	for i, t := range targets {
		if t.device, err = deviceBytes(ctx, t.session); err != nil {
			return session.Result{}, err
		}
		report.Runs[i].Facts = t.facts()
	}
	report.AddEnvironment(environment)
	notes := notesOf(targets)
	if len(s.On) > 1 {
		notes = append(notes, fmt.Sprintf("of the machines, the first is described: %s", s.On[0]))
	}
	return session.Result{Report: &BenchReport{"lathe.bench/1", report, notes}}, nil
}

// environment describes the machine that models run on, the first of several.
func (s *Bench) environment(ctx context.Context, env session.Env) (e bench.Environment, err error) {
	if !s.RunsElsewhere() {
		return bench.ReadEnvironment(os.DirFS("/")), nil
	}
	how, err := s.at(env, s.On[0])
	if err != nil {
		return e, err
	}
	text, err := env.MachineFor(ctx, how)
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(text, &e)
}

// defaultSeconds keeps two models, warm-up included, near a quarter of a minute.
const defaultSeconds = 5

func (s *Bench) plan() bench.Plan {
	return bench.Plan{
		Seconds:   time.Duration(cmp.Or(s.Seconds, defaultSeconds) * float64(time.Second)),
		Precision: s.Precision / 100,
		Runs:      int(s.Runs),
		WarmUp:    int(s.WarmUp),
		Seed:      uint64(s.Seed),
	}
}

// batches are the sizes asked for; 0 alone leaves the batch to the model.
func (s *Bench) batches() ([]int64, error) {
	if s.Batch == "" {
		return []int64{0}, nil
	}
	if s.Data != "" {
		return nil, session.UsageError("--batch and --data: the data has a batch of its own; give one of them")
	}
	var out []int64
	for word := range strings.SplitSeq(s.Batch, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil || n < 1 {
			return nil, session.UsageError(fmt.Sprintf("--batch %q: expected sizes as 1,8", s.Batch))
		}
		out = append(out, n)
	}
	return out, nil
}

// load makes one worker for every combination of launcher, model, provider and batch.
func (s *Bench) load(ctx context.Context, env session.Env, batches []int64) ([]*benchTarget, error) {
	var out []*benchTarget
	for _, launcher := range orDefault(s.On) {
		for _, path := range s.Models {
			targets, err := s.loadModel(ctx, env, launcher, path, batches)
			out = append(out, targets...)
			if err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// orDefault is a sweep of what was asked for, or of the default alone.
func orDefault(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

// loadModel opens a model where it runs, once, and loads it for every chain and batch.
func (s *Bench) loadModel(ctx context.Context, env session.Env, launcher, path string, batches []int64) (out []*benchTarget, err error) {
	how, err := s.at(env, launcher)
	if err != nil {
		return nil, err
	}
	m, err := env.OpenFor(ctx, path, how)
	if err != nil {
		return nil, err
	}
	for _, chain := range orDefault(s.EP) {
		for _, batch := range batches {
			env.Progress(session.Progress{Phase: "loading " + path})
			t, err := s.target(ctx, env, m, &benchTarget{path: path, launcher: launcher, chain: chain, batch: batch, several: s.several()})
			if t != nil {
				out = append(out, t)
			}
			if err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// target loads a model, binds its inputs and runs it once. A target that comes
// with an error has a session to close all the same.
func (s *Bench) target(ctx context.Context, env session.Env, m *graphops.Model, t *benchTarget) (*benchTarget, error) {
	how, err := s.on(env, t.chain, t.launcher)
	if err != nil {
		return nil, err
	}
	how.Placement = true
	l, err := env.Runtime.Load(ctx, m, how)
	if err != nil {
		return nil, err
	}
	t.session = l
	feeds, err := s.inputs(t, m, l.Inputs(), t.batch)
	if err != nil {
		return t, about(m, err)
	}
	if t.placement, err = l.Placement(ctx); err != nil {
		return t, err
	}
	if err := l.Bind(ctx, feeds, ort.Binding{OutputsOnDevice: s.OnDevice}); err != nil {
		return t, err
	}
	first, err := l.Block(ctx, 1, time.Nanosecond)
	if err == nil && len(first) == 0 {
		err = errors.New("the first run gave no time")
	}
	if err != nil {
		return t, err
	}
	t.first = first[0]
	return t, nil
}

// inputs are what a target is run on: the first case of the data, or generated.
func (s *Bench) inputs(t *benchTarget, m *graphops.Model, types []graphops.NamedType, batch int64) (graphops.Feeds, error) {
	cases, err := s.cases(m, types, 1, batch)
	if err != nil {
		return nil, err
	}
	t.notes = cases.Notes
	if n := len(cases.Cases); n > 1 {
		t.notes = append(t.notes, fmt.Sprintf("measured on the first of %d cases", n))
	}
	return cases.Cases[0].Feeds, nil
}

// several tells that a path alone does not tell the targets apart.
func (s *Bench) several() bool {
	return len(s.EP) > 1 || len(s.On) > 1 || strings.Contains(s.Batch, ",")
}

// benchTarget is a model in a worker with its inputs bound.
type benchTarget struct {
	path     string
	launcher string // "" for this machine
	chain    string
	batch    int64
	several  bool
	session  session.Loaded
	first    time.Duration
	notes    []string // what was assumed about the inputs

	placement ort.Placement
	device    *int64 // bytes of the device in use, nil where none is
}

// Name implements bench.Target.
func (t *benchTarget) Name() string {
	name := t.path
	if t.several && t.chain != "" {
		name += " on " + t.chain
	}
	if t.several && t.launcher != "" {
		name += " by " + t.launcher
	}
	if t.several && t.batch > 0 {
		name += fmt.Sprintf(" at batch %d", t.batch)
	}
	return name
}

// Block implements bench.Target.
func (t *benchTarget) Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	return t.session.Block(ctx, runs, d)
}

func (t *benchTarget) facts() bench.Facts {
	f := t.session.Facts()
	asked := t.chain
	if asked == "" {
		asked = "cpu"
	}
	load, first := milliseconds(f.LoadTime), milliseconds(t.first)
	return bench.Facts{
		Model: t.path, On: t.launcher, EP: asked, EPAttached: &f.Provider, Batch: max(t.batch, 1),
		NodesByEP: nodesByEP(t.placement),
		SessionMS: &load, FirstRunMS: &first, PeakRSS: f.PeakRSS, DeviceBytes: t.device,
	}
}

func nodesByEP(p ort.Placement) map[string]int64 {
	out := map[string]int64{}
	for _, s := range p.Shares {
		out[s.Provider] = int64(s.Nodes)
	}
	return out
}

func milliseconds(d time.Duration) tensor.Number {
	return tensor.Number(d.Seconds() * 1000)
}

// notesOf are what was assumed about the inputs of any target, each once.
func notesOf(targets []*benchTarget) []string {
	notes := []string{}
	for _, t := range targets {
		for _, n := range t.notes {
			n = t.path + ": " + n
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

// BenchReport is what a measurement found.
type BenchReport struct {
	Schema string `json:"schema"`
	*bench.Report
	Notes []string `json:"notes"`
}

// WriteText implements session.Report.
func (r *BenchReport) WriteText(w io.Writer) error {
	err := r.Report.WriteText(w)
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", text.CleanLine(n))
	}
	return err
}
