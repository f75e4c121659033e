package shrink

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
	"lathe/session/trial"
)

// Simplify folds constants, removes redundant nodes and merges others, and proves that the result
// computes the same.
type Simplify struct {
	With, Without []string
	Only          []string
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
		session.Several(&s.Only, "only", "run `PASS` and no other; separate several with commas", passNames(false)...).WithDefault("all that are not optional").AsRare(),
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
func (s *Simplify) Ahead() (need runtime.Need, o runtime.Execution) {
	if !s.NoProof {
		need = runtime.NeedWorker
	}
	return need, runtime.Execution{MemoryLimit: s.how.MemoryLimit}
}

// Preview implements session.Step.
func (s *Simplify) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	env, err := s.running(env)
	if err != nil {
		return session.Preview{}, err
	}
	_, r, err := s.simplify(ctx, env, m, nil)
	if err != nil {
		return session.Preview{}, err
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
	proving := &on
	if s.NoProof {
		proving = nil
	}
	simpler, r, err := s.simplify(ctx, env, m, proving)
	if err != nil {
		return session.Result{}, err
	}
	if r.File, err = s.Save(ctx, env, simpler, trial.StorageFor(m, simpler)); err != nil {
		return session.Result{}, err
	}
	if r.File != nil {
		r.After.Bytes = r.File.Bytes + r.File.ExternalBytes
	}
	return session.Result{Model: simpler, Report: r, Files: r.File.Files(), No: r.Proof.IsDoubtful()}, nil
}

// simplify simplifies a model. If on is nil, the result is not run.
func (s *Simplify) simplify(ctx context.Context, env session.Env, m *graphops.Model, on *trial.Inputs) (*graphops.Model, *simplifyReport, error) {
	found, err := trial.Simplify(ctx, env, m, s.asked(), on)
	if err != nil {
		return nil, nil, session.InModel(m, err)
	}
	r := newSimplifyReport(found.Report)
	r.Proof = found.Proof
	r.Warnings = append(r.Warnings, onlyBy(ownOperators(m, &product{model: found.Model}))...)
	return found.Model, r, nil
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
	if len(s.Only) > 0 && (len(s.With) > 0 || len(s.Without) > 0 || s.Fuse) {
		return session.UsageError("--only excludes --include, --exclude and --fuse: it names all passes that run")
	}
	if (s.NumHeads > 0 || s.HiddenSize > 0) && !s.Fuse && !slices.Contains(s.With, "fuse-attention") && !slices.Contains(s.Only, "fuse-attention") {
		return session.UsageError("--num-heads and --hidden-size have an effect only with --fuse or --include fuse-attention")
	}
	if s.NoProof {
		return s.on.Refuse("--no-check turns the check off")
	}
	return nil
}

// asked returns the options for package simplify.
func (s *Simplify) asked() simplify.Options {
	o := simplify.Options{Without: s.Without, With: s.With, MaxGrowth: simplify.DefaultMaxGrowth, Heads: s.NumHeads, Hidden: s.HiddenSize}
	if s.Fuse {
		o.With = passNames(true)
	}
	if len(s.Only) > 0 {
		o.With = s.Only
		o.Without = slices.DeleteFunc(passNames(false), func(name string) bool { return slices.Contains(s.Only, name) })
	}
	if s.MaxGrowth != nil {
		o.MaxGrowth = *s.MaxGrowth
	}
	return o
}
