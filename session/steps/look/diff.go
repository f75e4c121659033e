package look

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
	"lathe/session/text"
)

// Diff reports what differs between two models.
type Diff struct {
	A, B    string
	Weights bool
	All     bool
}

// Name implements session.Step.
func (*Diff) Name() string { return "diff" }

// Summary implements session.Step.
func (*Diff) Summary() string {
	return "report what differs between two models, whatever the names in them"
}

// Options implements session.Step.
func (s *Diff) Options() []session.Option {
	return []session.Option{
		session.Path(&s.A, "a", "the original model").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
		session.Path(&s.B, "b", "the changed model").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
		session.Switch(&s.Weights, "weights", fmt.Sprintf("compare all elements of all constants, instead of the first 4 KiB of large ones if the constants exceed %s together", text.Bytes(diff.DefaultWholeBytes))).AsUsual(),
		session.Switch(&s.All, "all", "show every difference, also in descriptions, and do not cut long lists"),
	}
}

// Preview implements session.Step. A comparison changes nothing, so it is the same as Run.
func (s *Diff) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the named files, not on the current model.
func (s *Diff) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	if err := flags.CheckStdin([]string{s.A, s.B}); err != nil {
		return session.Result{}, err
	}
	var models [2]*graphops.Model
	for i, path := range []string{s.A, s.B} {
		m, err := env.OpenFor(ctx, path, runtime.Execution{})
		if err != nil {
			return session.Result{}, err
		}
		models[i] = m
	}
	if sameFile(models[0], models[1]) {
		return session.Result{Report: newSameReport(s.A, s.B, models[0], s.All)}, nil
	}
	env.Progress(session.Progress{Phase: "matching"})
	d, err := diff.Compare(ctx, models[0], models[1], diff.Options{
		Weights: s.Weights,
		Progress: func(done, total int64) {
			env.Progress(session.Progress{Phase: "comparing", Done: done, Total: total, Unit: "B"})
		},
	})
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Report: newDiffReport(s.A, s.B, d, s.All), No: !d.Equal}, nil
}
