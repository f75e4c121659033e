package sides

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sizing"
	"lathe/session/stepwise"
	"lathe/session/text"
)

// stepsReport says whether decoders give the same step by step as all at once.
type stepsReport struct {
	// A and B are nil for a side that was not run so.
	A *stepwise.Report `json:"a"`
	B *stepwise.Report `json:"b"`
	// Alone is set if nothing else was compared.
	Alone bool `json:"alone"`
}

// nothing is the error if there is nothing to compare a model with.
const nothing = "validate: nothing to compare the model with; name a second model, --data with expected outputs, --reference, --torch, or an option of one side, such as --b opt=disable"

// itself compares a model with a cache with itself: step by step, and all at once.
func (s *Comparison) itself(ctx context.Context, env session.Env, start time.Time) (session.Result, error) {
	x, err := s.Executor(env, s.A, "b", nil)
	if err != nil {
		return session.Result{}, err
	}
	defer x.Close()
	if x.Model, err = env.OpenFor(ctx, x.Path, x.how); err != nil {
		return session.Result{}, err
	}
	found, err := s.rolesOf(ctx, x.Model, graphops.NamedTypes(x.Model.Graph().FeedInputs()))
	if err != nil {
		return session.Result{}, err
	}
	switch {
	case !stepwise.Has(found.Roles):
		return session.Result{}, session.UsageError(nothing + "; only a model with a cache is compared with itself, step by step")
	case s.SaveFailing != "" || len(s.Cases) > 0 && !slices.Contains(s.Cases, string(inputs.Steps)):
		return session.Result{}, session.UsageError("--save-failing and --cases: a model is compared with itself step by step, without cases that could be chosen or saved; name a second model")
	}
	env.Progress(session.Progress{Phase: "loading"})
	if err := x.Load(ctx); err != nil {
		var refused *runtime.Failure
		if errors.As(err, &refused) {
			err = unloadedBy(nil, err)
		}
		return s.unloaded(ctx, env, err, time.Since(start))
	}
	env.Progress(session.Progress{Phase: "running step by step"})
	steps, err := s.steps(ctx, x)
	if err != nil {
		return session.Result{}, err
	}
	report := UnrunReport(x.Path, x.Path, steps.Verdict, steps.Headline)
	report.Steps, report.of = &stepsReport{B: steps, Alone: true}, []*Executor{x}
	report.Sides.B, report.Notes = x.Side, append(report.Notes, x.notes...)
	return session.Result{Report: report, No: !steps.Pass}, nil
}

// Itself compares model A with itself, step by step and all at once. The report is nil if the model
// has no cache.
func (s *Comparison) Itself(ctx context.Context, env session.Env) (*stepwise.Report, error) {
	x, err := s.Executor(env, s.A, "b", nil)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if x.Model, err = env.OpenFor(ctx, x.Path, x.how); err != nil {
		return nil, err
	}
	found, err := s.rolesOf(ctx, x.Model, graphops.NamedTypes(x.Model.Graph().FeedInputs()))
	if err != nil || !stepwise.Has(found.Roles) {
		return nil, err
	}
	env.Progress(session.Progress{Phase: "running step by step"})
	return s.steps(ctx, x)
}

// rolesOf returns the conditions on the sizes of a model's inputs, with the roles of the inputs.
func (s *Comparison) rolesOf(ctx context.Context, m *graphops.Model, types []graphops.NamedType) (*sizing.System, error) {
	stated, err := s.Roles.Stated()
	if err != nil {
		return nil, err
	}
	return sizing.Of(ctx, m, types, stated)
}

// steps compares a side with itself. The report is nil if the model has no cache.
func (s *Comparison) steps(ctx context.Context, x *Executor) (*stepwise.Report, error) {
	if x.session == nil {
		if err := x.Load(ctx); err != nil {
			return nil, err
		}
	}
	found, err := s.rolesOf(ctx, x.Model, x.types.inputs)
	if err != nil || !stepwise.Has(found.Roles) {
		return nil, err
	}
	r, err := s.Request(x.Model, 1, 0)
	if err != nil {
		return nil, err
	}
	given, _, err := inputs.Read(x.types.inputs, r)
	if err != nil {
		return nil, err
	}
	r.Given, r.Each = given.Values, given.Fills
	return stepwise.Check(ctx, x.Model, x.Run, found.Roles, stepwise.Options{
		Types: x.types.inputs, Inputs: r.Options, RTol: s.RTol, ATol: s.ATol,
		Precision: coarsest(x.Model), Quantized: quant.Rounds(x.Model), AtOnce: s.AtOnce, AtOnceBy: "PyTorch",
		Open: func(ctx context.Context, m *graphops.Model) (stepwise.Run, func(), error) {
			copied := &Executor{env: x.env, Path: x.Path, how: x.how, library: x.library, Model: m}
			if err := copied.Load(ctx); err != nil {
				return nil, nil, err
			}
			return copied.Run, copied.Close, nil
		},
	})
}

// stepped compares each side with itself, if it has a cache, and adds what this says to the report.
func (s *Comparison) stepped(ctx context.Context, p *Pairing, report *Report, took time.Duration) error {
	if !s.wantsSteps() {
		return nil
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if patience := s.patience(); patience > 0 {
		limited, cancel = context.WithTimeout(ctx, max(patience-took, patience/6))
	}
	defer cancel()
	steps := &stepsReport{}
	for i, x := range p.Models {
		r, err := s.steps(limited, x)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil:
			report.Findings = append(report.Findings, compare.Finding{Case: string(inputs.Steps), NotRun: true, Reason: fmt.Sprintf("stopped: all cases other than seeds may take %s together; --cases steps runs it to the end", text.Elapsed(s.patience()))})
			return nil
		case err != nil:
			report.Findings = append(report.Findings, compare.Finding{Case: string(inputs.Steps), NotRun: true, Reason: "not run: " + err.Error()})
			return nil
		}
		if i == len(p.Models)-1 {
			steps.B = r
		} else {
			steps.A = r
		}
	}
	if steps.A != nil || steps.B != nil {
		report.Steps = steps
		steps.judge(report)
	}
	return nil
}

// wantsSteps reports whether the sides are to be compared with themselves.
func (s *Comparison) wantsSteps() bool {
	if s.WithoutSteps || len(s.Only) > 0 || s.Torch != "" {
		return false
	}
	return len(s.Cases) == 0 && s.Data == "" || slices.Contains(s.Cases, string(inputs.Steps))
}

// judge lets the comparison fail if side b differs from itself and side a does not, or was not run.
func (r *stepsReport) judge(report *Report) {
	find := func(side string, of *stepwise.Report, decisive bool) {
		report.Findings = append(report.Findings, compare.Finding{Case: string(inputs.Steps), Side: side, Reason: of.Headline, Decisive: decisive})
	}
	failsA := r.A != nil && r.A.Verdict == compare.Fail
	if failsA {
		find("a", r.A, false)
	}
	if r.B == nil {
		return
	}
	if r.B.Verdict != compare.Pass {
		find("b", r.B, r.B.Verdict == compare.Fail && !failsA)
	}
	switch {
	case r.B.Verdict == compare.Fail && failsA:
		report.Headline += "; step by step both sides differ from all at once"
	case r.B.Verdict == compare.Fail && report.Verdict != compare.Fail:
		report.Settle(compare.Fail, "b: "+r.B.Headline)
	case r.B.Verdict == compare.Fail:
		report.Headline += "; step by step b differs from all at once too"
	case r.B.Verdict == compare.Undecided:
		report.Headline += "; b: " + r.B.Headline
	default:
		report.Headline += "; step by step b equals all at once"
	}
}

// write writes how each side compares with itself.
func (r *stepsReport) write(p *text.Printer) {
	if r == nil {
		return
	}
	for _, side := range []struct {
		name string
		of   *stepwise.Report
	}{{"a", r.A}, {"b", r.B}} {
		if side.of == nil {
			continue
		}
		if !r.Alone {
			p.Line("%s: %s", side.name, side.of.Headline)
		}
		side.of.WriteDetails(p)
	}
}
