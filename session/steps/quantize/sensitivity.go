package quantize

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/sensitivity"
)

// Sensitivity lists what it costs and saves to quantize each node alone. It writes no model.
type Sensitivity struct{ sensitivity.Sensitivity }

// Summary implements session.Step.
func (s *Sensitivity) Summary() string {
	return "list the nodes that could be quantized, with the error and the savings of each alone"
}

// Preview implements session.Step. It estimates the errors from the weights and runs nothing.
func (s *Sensitivity) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.Estimate = true
	r, err := draft.List(ctx, env, m)
	return session.Preview{Report: r}, err
}

// Run implements session.Step. If the context ends, the result has the report of what was measured, beside
// the error.
func (s *Sensitivity) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	r, err := s.List(ctx, env, m)
	if r == nil {
		return session.Result{}, err
	}
	return session.Result{Report: r}, err
}
