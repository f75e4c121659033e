package validate

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/accuracy"
)

// Accuracy measures how often models are right on data whose answers are known.
type Accuracy struct{ accuracy.Accuracy }

// Summary implements session.Step.
func (*Accuracy) Summary() string {
	return "measure how often models are right on labelled data, and whether two of them differ in that"
}

// Preview implements session.Step. A measurement changes nothing, so it is the same as Run, except that it
// stores nothing and runs no command.
func (s *Accuracy) Preview(ctx context.Context, env session.Env, _ *graphops.Model) (session.Preview, error) {
	if s.Score != "" {
		return session.Preview{}, session.UsageError("--score: a preview does not run the user's command; run the step")
	}
	draft := s.Accuracy
	draft.NoStore = true
	r, err := draft.Run(ctx, env)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the named files, not on the current model.
func (s *Accuracy) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	return s.Accuracy.Run(ctx, env)
}
