package look

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/folders"
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
		session.Path(&s.A, "a", "the original model, or a folder of models").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
		session.Path(&s.B, "b", "the changed model, or a folder of models").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
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
	files, ok, err := folders.Only(ctx, env, s.A, s.B)
	switch {
	case err != nil:
		return session.Result{}, err
	case !ok:
		return s.folders(ctx, env)
	}
	r, err := s.pair(ctx, env, files[0], files[1])
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Report: r, No: !r.Equal}, nil
}

// pair compares two files.
func (s *Diff) pair(ctx context.Context, env session.Env, a, b string) (*diffReport, error) {
	var models [2]*graphops.Model
	for i, path := range []string{a, b} {
		m, err := env.OpenFor(ctx, path, runtime.Execution{})
		if err != nil {
			return nil, err
		}
		models[i] = m
	}
	if sameFile(models[0], models[1]) {
		return newSameReport(a, b, models[0], s.All), nil
	}
	env.Progress(session.Progress{Phase: "matching"})
	d, err := diff.Compare(ctx, models[0], models[1], diff.Options{
		Weights: s.Weights,
		Progress: func(done, total int64) {
			env.Progress(session.Progress{Phase: "comparing", Done: done, Total: total, Unit: "B"})
		},
	})
	if err != nil {
		return nil, err
	}
	return newDiffReport(a, b, d, s.All), nil
}
