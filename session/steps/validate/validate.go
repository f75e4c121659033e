package validate

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/folders"
	"lathe/session/sides"
)

// Validate compares models on the same inputs and judges the difference.
type Validate struct{ sides.Comparison }

// Summary implements session.Step.
func (*Validate) Summary() string {
	return "compare and judge the outputs of models on the same inputs"
}

// Preview implements session.Step. A comparison changes nothing, so it is the same as Run, except
// that it writes no files.
func (s *Validate) Preview(ctx context.Context, env session.Env, _ *graphops.Model) (session.Preview, error) {
	if folders.Is(s.A) || folders.Is(s.B) {
		return session.Preview{}, session.UsageError("validate: the workbench compares models; lathe validate FOLDER OTHER compares folders")
	}
	draft := s.Comparison
	draft.SaveFailing, draft.ReduceOut, draft.NoStore = "", "", true
	r, err := draft.Run(ctx, env)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the named files, not on the current model.
func (s *Validate) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	if !folders.Is(s.A) && !folders.Is(s.B) {
		return s.Comparison.Run(ctx, env)
	}
	files, ok, err := folders.Only(ctx, env, s.A, s.B)
	switch {
	case err != nil:
		return session.Result{}, err
	case !ok:
		return folders.Validate(ctx, env, s, &s.Comparison)
	}
	one := s.Comparison
	one.A, one.B = files[0], files[1]
	return one.Run(ctx, env)
}
