package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
)

// Validate runs two models on the same inputs and judges the difference.
type Validate struct {
	A, B       string
	RTol, ATol *float64
	Tolerance  []string
	caseOptions
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
		toleranceOption(&s.Tolerance),
	}
	return slices.Concat(options, s.caseOptions.options(), s.feeding.options(), s.execution.options())
}

// Preview implements session.Step; a comparison changes nothing, so it is the
// same, but that no case is saved.
func (s *Validate) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.SaveFailing = ""
	r, err := draft.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the files named, not on the current
// model.
func (s *Validate) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	if err := checkStdin([]string{s.A, s.B}); err != nil {
		return session.Result{}, err
	}
	if err := s.caseOptions.check(ctx); err != nil {
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
	if err := sameInputs(a, b); err != nil {
		return session.Result{}, err
	}
	o, err := s.compareOptions(a.model, b.model)
	if err != nil {
		return session.Result{}, err
	}
	cases, err := s.prepare(a.model, a.session.Inputs(), o)
	if err != nil {
		return session.Result{}, err
	}
	failed := &failing{step: s, types: a.session.Inputs()}
	o.NotRun = cases.NotRun
	o.Failed = func(c inputs.Case, outputs []graphops.Got) { failed.keep(ctx, c, outputs) }
	r, err := compare.Compare(ctx, a, b, cases.Cases, o, func(done, total int) {
		env.Progress(session.Progress{Phase: "comparing", Done: int64(done), Total: int64(total), Unit: "cases"})
	})
	if err = errors.Join(err, failed.err); err != nil {
		return session.Result{}, err
	}
	notes := append(orEmpty(cases.Notes), failed.notes(r)...)
	report := &ValidateReport{"lathe.validate/1", r, sides{a.side, b.side}, orEmpty(failed.saved), notes}
	for _, x := range []*executor{a, b} {
		if note := x.path + ": " + x.idle; x.idle != "" && !slices.Contains(report.Notes, note) {
			report.Notes = append(report.Notes, note)
		}
	}
	return session.Result{Report: report, Files: failed.files, No: !r.Pass}, nil
}

// compareOptions are how two models' outputs are judged.
func (s *Validate) compareOptions(a, b *graphops.Model) (compare.Options, error) {
	of, err := parseTolerances(s.Tolerance, a)
	return compare.Options{
		Of: of, Facts: compare.FactsOf(a, b), Patience: s.patience(),
		Quantized: quant.IsQuantized(a) || quant.IsQuantized(b),
		Precision: coarsest(a, b),
		RTol:      s.RTol, ATol: s.ATol,
	}, err
}

// prepare makes the cases.
func (s *Validate) prepare(m *graphops.Model, types []graphops.NamedType, o compare.Options) (inputs.Cases, error) {
	r, err := s.request(m, generatedCases, 0)
	if err != nil {
		return inputs.Cases{}, err
	}
	s.ask(&r, o.Quantized, o.Precision)
	cases, err := inputs.Prepare(types, r)
	return cases, forModel(m, err)
}

// sameInputs is an error where the models cannot be fed the same values.
func sameInputs(a, b *executor) error {
	as, bs := inputNames(a.session), inputNames(b.session)
	if slices.Equal(as, bs) {
		return nil
	}
	return fmt.Errorf("%s: its inputs are %s, those of %s are %s; models are compared on inputs of the same names, which lathe rename gives",
		b.path, quoted(bs), a.path, quoted(as))
}

// inputNames are sorted.
func inputNames(l session.Loaded) []string {
	var names []string
	for _, in := range l.Inputs() {
		names = append(names, in.Name)
	}
	slices.Sort(names)
	return names
}

// quoted lists all names: what differs may come late.
func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return strings.Join(out, ", ")
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
