package quantization

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/sides"
	"lathe/session/timing"
	"lathe/session/trial"
)

// trialFlags are the options of the trial, which compares a result with the original before it is
// written.
type trialFlags struct {
	NoTrial     bool
	DataCommand string
	How         flags.Execution // only partly set by options
	flags.Feeding
}

func (f *trialFlags) options() []session.Option {
	list := slices.Concat(
		flags.WithLabels(f.Feeding.Options()),
		[]session.Option{
			session.Text(&f.DataCommand, "data-command", "read the data from this shell `COMMAND` instead of --data: it prints an .npz archive, or one .npy file per input").WithDefault("none").In(session.GroupInputs).Measured().Does(permit.Shell),
			flags.NoCheckOption(&f.NoTrial, "do not compare the result with the original for accuracy and speed before writing it", "no-trial"),
		},
		slices.DeleteFunc(f.How.Options(), func(o session.Option) bool {
			return !slices.Contains([]string{"ep", "ep-option", "threads", "custom-ops", "timeout", "memory-limit"}, o.Name)
		}),
	)
	for i, o := range list {
		if o.Name != "data" { // most people need no other option for the trial
			list[i] = o.AsRare()
		}
	}
	return list
}

// trialReport is the comparison of a result with the original.
type trialReport struct {
	// NotRun says why nothing was run. It is empty if it was.
	NotRun string `json:"not_run,omitempty"`
	// OnData is false for generated inputs. Accuracy on noise says little about accuracy on real
	// data.
	OnData bool `json:"on_data"`
	// OnCalibration reports that the ranges were found on the same data. Accuracy on other data may
	// then be lower.
	OnCalibration bool `json:"on_calibration_data,omitempty"`
	// OnlyFirst reports that the data does not fit into memory and only its first samples were
	// used.
	OnlyFirst  bool          `json:"only_first,omitempty"`
	Validation *sides.Report `json:"validation"`
	// Reduced is the result with --reduce-range. It is nil unless sums saturate without that
	// option.
	Reduced *reducedRange  `json:"reduce_range,omitempty"`
	Bench   *timing.Report `json:"bench"`
}

// How long the two models of a trial are measured, and how precisely.
const (
	trialSeconds   = 3
	trialPrecision = 2 // percent
)

// notWritten is the end of an error about a result. The wrapped error may name the file of the
// original, because the result reads weights from it.
const notWritten = "and is not written (--no-check writes it anyway): %w"

// Try checks a result, loads it, and compares its outputs and its latency with the original. If the
// result is not sound or does not load, it returns an error, and the result is not written.
func (s *Quantization) Try(ctx context.Context, env session.Env, m, result *graphops.Model, r *Report) error {
	if runs, err := s.canTry(ctx, env, m, result, r); err != nil || !runs {
		return err
	}
	var fresh int64
	for _, q := range r.Quantized {
		fresh += q.BytesAfter
	}
	t := &trial.Files{Of: m}
	defer t.Remove()
	result, err := t.Runnable(ctx, env, result, fresh)
	if err != nil {
		return err
	}
	err = s.tryWith(ctx, env, m, result, r, s.run)
	var unrun *UnrunError
	if errors.As(err, &unrun) {
		err = fmt.Errorf("the result %s, "+notWritten, unrun.does(), unrun.Err)
	}
	if err != nil {
		return err
	}
	return s.tryReduced(ctx, env, m, r)
}

// Judge does what Try does, but neither measures the latency nor tries --reduce-range. It is for a caller
// that does both for several results.
func (s *Quantization) Judge(ctx context.Context, env session.Env, m, result *graphops.Model, r *Report) error {
	if runs, err := s.canTry(ctx, env, m, result, r); err != nil || !runs {
		return err
	}
	return s.tryWith(ctx, env, m, result, r, func(ctx context.Context, env session.Env, m, result *graphops.Model) (*trialReport, error) {
		t := &trialReport{OnData: s.Data != ""}
		_, _, err := s.judge(ctx, env, m, result, t)
		return t, err
	})
}

// canTry checks a result and reports whether it is to be run here.
func (s *Quantization) canTry(ctx context.Context, env session.Env, m, result *graphops.Model, r *Report) (bool, error) {
	if err := sounder(ctx, env, m, result, r.Elsewhere != ""); err != nil {
		return false, err
	}
	if r.Elsewhere != "" {
		r.Trial = &trialReport{OnData: s.Data != "", NotRun: r.Elsewhere}
	}
	return r.Elsewhere == "" && !s.NoTrial, nil
}

// tryWith runs a result, and asks what it does here if it ran.
func (s *Quantization) tryWith(ctx context.Context, env session.Env, m, result *graphops.Model, r *Report, run func(context.Context, session.Env, *graphops.Model, *graphops.Model) (*trialReport, error)) (err error) {
	r.Trial, err = run(ctx, env, m, result)
	if r.Trial != nil && r.Ranges != nil && !r.Ranges.Reused {
		r.Trial.OnCalibration = r.Trial.OnData
	}
	if r.Trial != nil && r.blockwise != nil && r.blockwise.OnData != nil {
		r.Trial.OnCalibration = r.Trial.OnData
	}
	if err != nil || r.Trial.NotRun != "" {
		return err
	}
	return s.askHere(ctx, env, result, r)
}

// sounder returns an error if the result has an error that the original does not have. A missing
// CPU kernel does not count if the result runs on another machine or provider.
func sounder(ctx context.Context, env session.Env, m, result *graphops.Model, elsewhere bool) error {
	before := sync.OnceValues(func() ([]check.Problem, error) { return trial.ErrorsOf(ctx, env, m) })
	after, err := trial.ErrorsOf(ctx, env, result)
	if err != nil {
		return err
	}
	if elsewhere {
		after = slices.DeleteFunc(after, func(p check.Problem) bool { return p.Code == "kernel-missing" })
	}
	p, err := trial.Introduced(before, after)
	if p == nil || err != nil {
		return err
	}
	if old, _ := before(); len(old) > 0 {
		return fmt.Errorf("the result has an error and is not written: %s; the original has an error too: %s; lathe check lists the errors of the original", p.Message, old[0].Message)
	}
	return fmt.Errorf("the result has an error and is not written: %s; this is a fault of lathe, please report it", p.Message)
}

// run loads both models, compares their outputs, and measures their latency.
func (s *Quantization) run(ctx context.Context, env session.Env, m, result *graphops.Model) (*trialReport, error) {
	t := &trialReport{OnData: s.Data != ""}
	p, of, err := s.judge(ctx, env, m, result, t)
	if err != nil || t.NotRun != "" || t.Validation.NoCaseRan() != nil {
		return t, err // there is nothing to measure
	}
	a, b := p.Models[0], p.Models[1]
	t.Bench, err = s.Latency(ctx, env, of, Named{a.Model, a.Path}, Named{b.Model, b.Path}, trialSeconds)
	return t, err
}

// judge loads both models, compares their outputs, and ends their workers.
func (s *Quantization) judge(ctx context.Context, env session.Env, m, result *graphops.Model, t *trialReport) (*sides.Pairing, flags.Feeding, error) {
	v := &sides.Comparison{A: s.nameOf(m), B: s.nameOf(nil), Execution: s.How, Feeding: s.Feeding, WithoutSteps: true}
	if s.Data == "" {
		v.Cases = []string{string(inputs.Seeds)}
	}
	of := s.Feeding
	all, err := of.WithinMemory(m)
	if err != nil {
		return nil, of, err
	}
	t.OnlyFirst = !all
	v.Feeding = of
	a, err := v.Executor(env, v.A, "a", nil)
	if err != nil {
		return nil, of, err
	}
	b, err := v.Executor(env, v.B, "b", s.sideOfResult())
	if err != nil {
		return nil, of, err
	}
	a.Model, b.Model = m, result
	p := sides.PairOf(a, b)
	defer p.Close()
	env.Progress(session.Progress{Phase: "loading the original"})
	switch err := a.Load(ctx); {
	case errors.Is(err, ort.ErrNoRuntime):
		t.NotRun = err.Error()
		return p, of, nil
	case err != nil && ctx.Err() == nil:
		t.NotRun = "the original does not load: " + sides.ReasonOf(err)
		t.Validation = sides.UnrunReport(v.A, v.B, compare.Undecided, t.NotRun)
		return p, of, nil
	case err != nil:
		return nil, of, err
	}
	env.Progress(session.Progress{Phase: "loading the result"})
	if err := b.Load(ctx); err != nil {
		return nil, of, &UnrunError{Err: err, Loading: true}
	}
	if err := b.TakeInputsOf(a); err != nil {
		return nil, of, err
	}
	judged, err := v.Judge(ctx, env, p, sides.AgainstModel, time.Now())
	if err != nil {
		return nil, of, err
	}
	t.Validation = judged.Report.(*sides.Report)
	return p, of, nil
}

// pairsStay keeps the CPU provider from fusing QuantizeLinear and DequantizeLinear into integer
// operators. For float8 such operators do not exist.
const pairsStay = "session.disable_quant_qdq=1"

// ResultConfig returns the entries of the session config that are needed only for the result and not
// for the original. A float8 model needs one.
func (s *Quantization) ResultConfig() []string {
	if s.isFloat8() {
		return []string{pairsStay}
	}
	return nil
}

// sideOfResult returns the options of a run that are needed only for the result.
func (s *Quantization) sideOfResult() (out []string) {
	for _, entry := range s.ResultConfig() {
		out = append(out, "session-config="+entry)
	}
	return out
}

// Named is a model and its name in a report.
type Named struct {
	Model *graphops.Model
	Name  string
}

// Latency measures an original and its quantized result on the same inputs, in turns, each for at
// most the given number of seconds. If the result does not run, the error is an *UnrunError.
func (s *Quantization) Latency(ctx context.Context, env session.Env, of flags.Feeding, original, result Named, seconds float64) (*timing.Report, error) {
	step := &timing.Benchmark{Models: []string{original.Name, result.Name}, NoMemory: true, Seconds: seconds, Precision: trialPrecision, Feeding: of, Running: s.How.Running}
	environment := machine.ReadEnvironment(os.DirFS("/"))
	var targets []*timing.Subject
	defer func() {
		for _, t := range targets {
			_ = t.Session.Close() // the results are complete, or there is another error
		}
	}()
	for i, x := range []Named{original, result} {
		if i == 1 {
			step.Config = slices.Concat(step.Config, s.ResultConfig())
		}
		t, err := step.Load(ctx, env, x.Model, &timing.Subject{Model: x.Model, Path: x.Name, Chain: s.How.EP})
		if t != nil {
			targets = append(targets, t)
		}
		switch {
		case err != nil && i == 1 && ctx.Err() == nil:
			return nil, &UnrunError{Err: err}
		case err != nil:
			return nil, err
		}
	}
	return step.Measure(ctx, env, targets, environment)
}

// UnrunError is the error of a quantized model that does not load or run.
type UnrunError struct {
	Err     error
	Loading bool // it does not load
}

func (e *UnrunError) Error() string { return "the result " + e.does() + ": " + e.Err.Error() }

func (e *UnrunError) does() string {
	if e.Loading {
		return "does not load"
	}
	return "does not run"
}

func (e *UnrunError) Unwrap() error { return e.Err }

// nameOf returns the name of a model in the report: its file, or the file it will be written to.
func (s *Quantization) nameOf(m *graphops.Model) string {
	switch {
	case m != nil && m.Path() != "":
		return filepath.Base(m.Path())
	case m != nil:
		return "the original"
	case s.Out != "":
		return filepath.Base(s.Out)
	}
	return "the result"
}
