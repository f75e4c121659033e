package session_test

import (
	"context"
	"time"

	"lathe/graphops"
	"lathe/session"
)

// fakeStep has an option of every kind. A test provides its Run.
type fakeStep struct {
	Word, File, Mode string
	Names, Files     []string
	N                int64
	X                float64
	Y                *float64
	On               bool
	run              func(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error)
}

func (*fakeStep) Name() string    { return "fake" }
func (*fakeStep) Summary() string { return "do nothing" }

func (s *fakeStep) Options() []session.Option {
	return []session.Option{
		session.Text(&s.Word, "word", "any text").Formerly("text"),
		session.Path(&s.File, "file", "a file"),
		session.Choice(&s.Mode, "mode", "a mode", "fast", "slow").AsRequired().Formerly("speed"),
		session.List(&s.Names, "name", "names"),
		session.Paths(&s.Files, "files", "files"),
		session.Int(&s.N, "n", "a count", 1),
		session.Float(&s.X, "x", "a number"),
		session.FloatFromZero(&s.Y, "y", "a number that may be 0"),
		session.Switch(&s.On, "on", "a switch"),
	}
}

func (s *fakeStep) Preview(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	return session.Preview{}, nil
}

func (s *fakeStep) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, m)
}

// fakeClock advances by a second at every call.
func fakeClock() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time { now = now.Add(time.Second); return now }
}
