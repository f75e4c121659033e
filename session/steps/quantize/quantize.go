package quantize

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/quantization"
)

// Quantize reduces the precision of a model. Each mode is a step, such as quantize dynamic.
type Quantize struct{ quantization.Quantization }

// Summary implements session.Step.
func (s *Quantize) Summary() string { return s.About() }

// Preview implements session.Step.
func (s *Quantize) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Planned(ctx, env, m)
	return session.Preview{Report: r}, err
}
