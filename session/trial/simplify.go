package trial

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/proof"
	"lathe/session/runtime"
)

// Simplified is a simplified model, and what was done.
type Simplified struct {
	Model  *graphops.Model
	Report *simplify.Report
	Proof  *Proof // nil if nothing changed, or if the models were not to be run
}

// Simplify simplifies a model with the passes that keep its results, which a proof on these inputs
// finds out. If on is nil, it runs all passes and proves nothing. Progress goes to env.
func Simplify(ctx context.Context, env session.Env, m *graphops.Model, o simplify.Options, on *Inputs) (*Simplified, error) {
	first, err := simplified(ctx, env, m, o)
	if err != nil || on == nil || !first.Report.Changed() {
		return first, err
	}
	made := map[*graphops.Model]*Simplified{first.Model: first}
	model, shown, err := Sound(ctx, env, *on, proof.Pipeline{
		Original: m, Passes: busy(first.Report),
		Make: func(ctx context.Context, without []string) (*graphops.Model, error) {
			if len(without) == 0 {
				return first.Model, nil
			}
			fewer := o
			fewer.Without = slices.Concat(without, o.Without)
			s, err := simplified(ctx, env, m, fewer)
			if err != nil {
				return nil, err
			}
			made[s.Model] = s
			return s.Model, nil
		},
	})
	if err != nil {
		return nil, err
	}
	s := made[model]
	s.Proof = shown
	return s, nil
}

// busy returns the passes that changed something, in order.
func busy(r *simplify.Report) []string {
	var out []string
	for _, p := range r.Passes {
		if len(p.Changes) > 0 {
			out = append(out, p.Name)
		}
	}
	return out
}

// simplified runs all passes that o selects.
func simplified(ctx context.Context, env session.Env, m *graphops.Model, o simplify.Options) (*Simplified, error) {
	// Each constant is computed by a model of its own that runs once, so only one session is kept.
	// Its worker loads the next of these models. A proof has to use the library that was chosen,
	// but constants may be computed with any library, because the results differ only by rounding.
	run := &Sessions{Env: env, Opt: "disable", Most: 1, Any: true}
	spare := func() {}
	defer func() { run.Close(); spare() }()
	o.RunnerAhead = func() { spare = env.Ready(ctx, runtime.NeedWorker, runtime.Execution{AnyLibrary: true}) }
	o.Progress = func(pass string, nodes int) {
		env.Progress(session.Progress{Phase: pass, Done: int64(nodes), Unit: "nodes"})
	}
	simpler, found, err := withRuntime(ctx, run, func(ctx context.Context, r execution.Runner) (*graphops.Model, *simplify.Report, error) {
		o.Runner = r
		return simplify.Simplify(ctx, m, o)
	})
	if err != nil {
		return nil, err
	}
	if n, err := graphops.SavedSize(simpler, StorageFor(m, simpler)); err == nil {
		found.After.Bytes = n
	}
	return &Simplified{Model: simpler, Report: found}, nil
}

// withRuntime simplifies with a Runner. If that finds no runtime, it simplifies again without a
// Runner. There is then a single warning about what could not be computed, instead of one for each
// node.
func withRuntime(ctx context.Context, run execution.Runner, simplified func(context.Context, execution.Runner) (*graphops.Model, *simplify.Report, error)) (*graphops.Model, *simplify.Report, error) {
	trying, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m, r, err := simplified(trying, stopsWithout{run, stop})
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(trying), ort.ErrNoRuntime) {
		return simplified(ctx, nil)
	}
	return m, r, err
}

// stopsWithout is a Runner that cancels the simplification if there is no runtime.
type stopsWithout struct {
	execution.Runner
	stop context.CancelCauseFunc
}

// Run implements execution.Runner.
func (s stopsWithout) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	err := s.Runner.Run(ctx, m, in, want, yield)
	if errors.Is(err, ort.ErrNoRuntime) {
		s.stop(err)
	}
	return err
}
