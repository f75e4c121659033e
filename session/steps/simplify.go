package steps

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/proof"
	"lathe/session/trial"
)

// Simplify folds constants, removes redundant nodes and merges others, and proves that the result
// computes the same.
type Simplify struct {
	With, Without []string
	Fuse          bool
	MaxGrowth     *int64
	NumHeads      int64
	HiddenSize    int64
	NoProof       bool
	how           flags.Running // only partly set by options
	on            flags.ProofInputs
	flags.Saving
}

// Name implements session.Step.
func (*Simplify) Name() string { return "simplify" }

// Summary implements session.Step.
func (*Simplify) Summary() string {
	return "fold constants, remove redundant nodes, merge nodes, and check the result"
}

// Options implements session.Step.
func (s *Simplify) Options() []session.Option {
	return append([]session.Option{
		session.Several(&s.Without, "exclude", "leave out `PASS`, one of those that the report names; separate several with commas", passNames(false)...).AsUsual().Formerly("without"),
		session.Several(&s.With, "include", "also run the optional `PASS`; separate several with commas", passNames(true)...).AsUsual().Formerly("with"),
		session.Switch(&s.Fuse, "fuse", "run all optional passes, which fuse normalizations, activations and attention into single operators").AsUsual(),
		session.SizeFromZero(&s.MaxGrowth, "max-growth", "let all constants together grow by at most this many `BYTES`, such as 10M").WithDefault("1M"),
		session.Int(&s.NumHeads, "num-heads", "number of attention heads", 1).WithDefault("detected in the graph").AsRare(),
		session.Int(&s.HiddenSize, "hidden-size", "hidden size of attention", 1).WithDefault("detected in the graph").AsRare(),
		flags.NoCheckOption(&s.NoProof, "do not compare the result with the original", "no-proof"),
	}, slices.Concat(s.on.Options(""), s.runs(), s.Saving.Options())...)
}

// runs returns the options without which some models do not run: libraries of custom operators, and
// limits of time and memory.
func (s *Simplify) runs() []session.Option {
	return slices.DeleteFunc(s.how.Options(), func(o session.Option) bool {
		return !slices.Contains([]string{"custom-ops", "timeout", "memory-limit"}, o.Name)
	})
}

// passNames returns the optional passes, or all passes.
func passNames(optional bool) []string {
	var out []string
	for _, p := range simplify.Passes() {
		if p.Optional == optional || !optional {
			out = append(out, p.Name)
		}
	}
	return out
}

// Ahead implements session.Running. The proof needs the runtime. Constants often do not.
func (s *Simplify) Ahead() (need session.Need, o session.Execution) {
	if !s.NoProof {
		need = session.NeedWorker
	}
	return need, session.Execution{MemoryLimit: s.how.MemoryLimit}
}

// Preview implements session.Step.
func (s *Simplify) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	env, err := s.running(env)
	if err != nil {
		return session.Preview{}, err
	}
	_, r, err := s.simplify(ctx, env, m, nil)
	if err != nil {
		return session.Preview{}, session.InModel(m, err)
	}
	r.unproved = !s.NoProof
	return session.Preview{Report: r}, nil
}

// Run implements session.Step.
func (s *Simplify) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.Saving.CheckTarget(ctx); err != nil {
		return session.Result{}, err
	}
	env, err := s.running(env)
	if err != nil {
		return session.Result{}, err
	}
	on, err := s.on.Of(m, s.Out)
	if err != nil {
		return session.Result{}, err
	}
	simpler, r, err := s.proved(ctx, env, m, on)
	if err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if r.File, err = s.Save(ctx, env, simpler, trial.StorageFor(m, simpler)); err != nil {
		return session.Result{}, err
	}
	if r.File != nil {
		r.After.Bytes = r.File.Bytes + r.File.ExternalBytes
	}
	return session.Result{Model: simpler, Report: r, Files: r.File.Files(), No: r.Proof.IsDoubtful()}, nil
}

// proved simplifies a model with the passes that keep its results.
func (s *Simplify) proved(ctx context.Context, env session.Env, m *graphops.Model, on trial.Inputs) (*graphops.Model, *SimplifyReport, error) {
	simpler, r, err := s.simplify(ctx, env, m, nil)
	if err != nil || s.NoProof || !r.Changed {
		return simpler, r, err
	}
	first, reports := simpler, map[*graphops.Model]*SimplifyReport{simpler: r}
	simpler, shown, err := trial.Sound(ctx, env, on, proof.Pipeline{
		Original: m, Passes: r.busy(),
		Make: func(ctx context.Context, without []string) (*graphops.Model, error) {
			if len(without) == 0 {
				return first, nil
			}
			made, r, err := s.simplify(ctx, env, m, without)
			reports[made] = r
			return made, err
		},
	})
	if err != nil {
		return nil, nil, err
	}
	r = reports[simpler]
	r.Proof = shown
	return simpler, r, nil
}

// simplify simplifies a model. It leaves out the given passes as well as those of --exclude.
func (s *Simplify) simplify(ctx context.Context, env session.Env, m *graphops.Model, without []string) (*graphops.Model, *SimplifyReport, error) {
	// Each constant is computed by a model of its own that runs once, so only one session is kept.
	// Its worker loads the next of these models. A proof has to use the library that was chosen,
	// but constants may be computed with any library, because the results differ only by rounding.
	run := &trial.Sessions{Env: env, Opt: "disable", Most: 1, Any: true}
	spare := func() {}
	defer func() { run.Close(); spare() }()
	o := s.asked(env, without)
	o.RunnerAhead = func() { spare = env.Ready(ctx, session.NeedWorker, session.Execution{AnyLibrary: true}) }
	simpler, found, err := withRuntime(ctx, run, func(ctx context.Context, r graphops.Runner) (*graphops.Model, *simplify.Report, error) {
		o.Runner = r
		return simplify.Simplify(ctx, m, o)
	})
	if err != nil {
		return nil, nil, err
	}
	if n, err := graphops.SavedSize(simpler, trial.StorageFor(m, simpler)); err == nil {
		found.After.Bytes = n
	}
	found.Warnings = append(found.Warnings, onlyBy(ownOperators(m, &product{model: simpler}))...)
	return simpler, simplifyReport(found), nil
}

// running returns an environment with the requested options of a run.
func (s *Simplify) running(env session.Env) (session.Env, error) {
	if err := s.usage(); err != nil {
		return env, err
	}
	how, err := s.how.WithChain(env, "", "")
	return trial.OnProviders(env, how), err
}

// usage returns an error for options that have no effect.
func (s *Simplify) usage() error {
	if (s.NumHeads > 0 || s.HiddenSize > 0) && !s.Fuse && !slices.Contains(s.With, "fuse-attention") {
		return session.UsageError("--num-heads and --hidden-size have an effect only with --fuse or --include fuse-attention")
	}
	if s.NoProof {
		return s.on.Refuse("--no-check turns the check off")
	}
	return nil
}

// withRuntime simplifies with a Runner. If that finds no runtime, it simplifies again without a
// Runner. There is then a single warning about what could not be computed, instead of one for each
// node.
func withRuntime(ctx context.Context, run graphops.Runner, simplified func(context.Context, graphops.Runner) (*graphops.Model, *simplify.Report, error)) (*graphops.Model, *simplify.Report, error) {
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
	graphops.Runner
	stop context.CancelCauseFunc
}

// Run implements graphops.Runner.
func (s stopsWithout) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	err := s.Runner.Run(ctx, m, in, want, yield)
	if errors.Is(err, ort.ErrNoRuntime) {
		s.stop(err)
	}
	return err
}

// asked returns the options for package simplify. without are further passes to leave out.
func (s *Simplify) asked(env session.Env, without []string) simplify.Options {
	o := simplify.Options{
		Without: slices.Concat(without, s.Without), With: s.With,
		MaxGrowth: simplify.DefaultMaxGrowth, Heads: s.NumHeads, Hidden: s.HiddenSize,
		Progress: func(pass string, nodes int) {
			env.Progress(session.Progress{Phase: pass, Done: int64(nodes), Unit: "nodes"})
		},
	}
	if s.Fuse {
		o.With = passNames(true)
	}
	if s.MaxGrowth != nil {
		o.MaxGrowth = *s.MaxGrowth
	}
	return o
}
