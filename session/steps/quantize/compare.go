package quantize

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/modes"
)

// Compare compares the results of all modes. It writes no model unless that is asked for.
type Compare struct{ modes.Compare }

// Summary implements session.Step.
func (s *Compare) Summary() string {
	return "compare size, latency, error and accuracy of all modes of quantization in one table"
}

// Preview implements session.Step. It lists what the modes would change, and runs nothing.
func (s *Compare) Preview(ctx context.Context, _ session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Planned(ctx, m)
	return session.Preview{Report: r}, err
}
