package quantize

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/mixed"
)

// Auto chooses a type for each node, so that the model becomes as small as its targets allow.
type Auto struct{ mixed.Auto }

// Summary implements session.Step.
func (s *Auto) Summary() string {
	return "choose a type for each node, so that the model becomes as small as a target for its error allows"
}

// Preview implements session.Step. It lists what can be chosen and runs nothing.
func (s *Auto) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Planned(ctx, env, m)
	return session.Preview{Report: r}, err
}
