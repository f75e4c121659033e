package steps

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/ort"
	"lathe/session/text"
)

// Validate runs two models on the same inputs and judges the difference.
type Validate struct {
	A, B       string
	RTol, ATol *float64
	feeding
	execution
}

// generatedCases is how many seeds are tried where no data is given.
const generatedCases = 3

// Name implements session.Step.
func (*Validate) Name() string { return "validate" }

// Summary implements session.Step.
func (*Validate) Summary() string {
	return "run two models on the same inputs, numbers side by side, a verdict"
}

// Options implements session.Step.
func (s *Validate) Options() []session.Option {
	options := []session.Option{
		session.Path(&s.A, "a", "the model to compare with").AsOperand().AsRequired(),
		session.Path(&s.B, "b", "the model that is judged").AsOperand().AsRequired(),
		session.FloatFromZero(&s.RTol, "rtol", "relative tolerance of every output; the default follows from the type; --rtol 0 --atol 0 asks for equal elements"),
		session.FloatFromZero(&s.ATol, "atol", "absolute tolerance of every output; the default follows from the type"),
	}
	return append(append(options, s.feeding.options()...), s.execution.options()...)
}

// Preview implements session.Step; a comparison changes nothing, so it is the
// same.
func (s *Validate) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the files named, not on the current
// model.
func (s *Validate) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	if err := checkStdin([]string{s.A, s.B}); err != nil {
		return session.Result{}, err
	}
	how, err := s.execution.value(env)
	if err != nil {
		return session.Result{}, err
	}
	a, b := &executor{env: env, path: s.A, how: how}, &executor{env: env, path: s.B, how: how}
	defer a.close()
	defer b.close()
	env.Progress(session.Progress{Phase: "loading"})
	for _, x := range []*executor{a, b} {
		if err := x.load(ctx); err != nil {
			return session.Result{}, err
		}
	}
	cases, err := s.cases(a.model, a.session.Inputs(), generatedCases, 0)
	if err != nil {
		return session.Result{}, err
	}
	o := compare.Options{
		Quantized: quant.IsQuantized(a.model) || quant.IsQuantized(b.model),
		Precision: coarsest(a.model, b.model),
		RTol:      s.RTol, ATol: s.ATol,
	}
	r, err := compare.Compare(ctx, a, b, cases.Cases, o, func(done, total int) {
		env.Progress(session.Progress{Phase: "comparing", Done: int64(done), Total: int64(total), Unit: "cases"})
	})
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Report: &ValidateReport{"lathe.validate/1", r, orEmpty(cases.Notes)}, No: !r.Pass}, nil
}

// coarsest is the coarsest floating-point type that any weight of the models
// is stored in: a model may compute in it and show float32 outside.
func coarsest(models ...*graphops.Model) tensor.DType {
	found := tensor.Undefined
	for _, m := range models {
		for t := range m.Tensors() {
			switch t.DType() {
			case tensor.BF16:
				return tensor.BF16
			case tensor.F16:
				found = tensor.F16
			}
		}
	}
	return found
}

// executor runs a model file for a comparison. After a crash the next run gets
// a fresh worker.
type executor struct {
	env     session.Env
	path    string
	how     session.Execution
	model   *graphops.Model
	session session.Loaded
}

func (x *executor) Name() string { return x.path }

func (x *executor) load(ctx context.Context) error {
	if x.model == nil {
		m, err := x.env.OpenFor(ctx, x.path, x.how)
		if err != nil {
			return err
		}
		x.model = m
	}
	l, err := x.env.Runtime.Load(ctx, x.model, x.how)
	if err != nil {
		return err
	}
	x.session = l
	return nil
}

func (x *executor) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	if x.session == nil {
		if err := x.load(ctx); err != nil {
			return nil, err
		}
	}
	got, err := session.RunWhole(ctx, x.session, in)
	var crash *ort.CrashError
	if errors.As(err, &crash) || errors.Is(err, ort.ErrGone) {
		x.close()
	}
	return got, err
}

func (x *executor) close() {
	if x.session != nil {
		_ = x.session.Close() // its answer is in hand, or its error told
		x.session = nil
	}
}

// ValidateReport is what a comparison found.
type ValidateReport struct {
	Schema string `json:"schema"`
	*compare.Report
	Notes []string `json:"notes"`
}

// WriteText implements session.Report.
func (r *ValidateReport) WriteText(w io.Writer) error {
	if err := r.Report.WriteText(w); err != nil {
		return err
	}
	for _, n := range r.Notes {
		if _, err := fmt.Fprintf(w, "note: %s\n", text.CleanLine(n)); err != nil {
			return err
		}
	}
	return nil
}
