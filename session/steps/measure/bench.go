package measure

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/folders"
	"lathe/session/timing"
)

// Bench measures the latency of one or several models, and compares the others with the first.
type Bench struct{ timing.Benchmark }

// Summary implements session.Step.
func (*Bench) Summary() string { return "measure and compare latency, with confidence intervals" }

// Preview implements session.Step. A measurement changes nothing, so it is the same as Run, except
// that it does not write the file of --save.
func (s *Bench) Preview(ctx context.Context, env session.Env, _ *graphops.Model) (session.Preview, error) {
	if slices.ContainsFunc(s.Models, folders.Is) {
		return session.Preview{}, session.UsageError("bench: the workbench measures models; lathe bench FOLDER measures those of a folder")
	}
	draft := s.Benchmark
	draft.Save = ""
	r, err := draft.Run(ctx, env)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step. It works on the named files, not on the current model.
func (s *Bench) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	if !slices.ContainsFunc(s.Models, folders.Is) {
		return s.Benchmark.Run(ctx, env)
	}
	files, ok, err := folders.Only(ctx, env, s.Models...)
	switch {
	case err != nil:
		return session.Result{}, err
	case !ok:
		return folders.Bench(ctx, env, s, &s.Benchmark)
	}
	one := s.Benchmark
	one.Models = files
	return one.Run(ctx, env)
}
