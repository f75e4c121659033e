package sides

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/layers"
	"lathe/session/reduce"
	"lathe/session/runtime"
	"lathe/session/text"
)

// reducing has the options for finding the smallest submodel that still shows a problem.
type reducing struct {
	Reduce     bool
	ReduceOut  string
	ReduceTime time.Duration
	Force      bool
}

// defaultReduceTime is how long the search takes at most by default.
const defaultReduceTime = 10 * time.Minute

func (s *reducing) options() []session.Option {
	return []session.Option{
		session.Switch(&s.Reduce, "reduce", "find the smallest submodel that still shows the difference, the load error or the crash; a single model is compared with itself unoptimized").AsUsual(),
		session.Path(&s.ReduceOut, "out", "with --reduce: write the submodel to `FILE`, and its inputs beside it").WithDefault("nothing is written").Formerly("reduce-out").WithShort("o").AsTarget().OfFiles(session.ModelFiles...).In(session.GroupResult).AsUsual(),
		session.Duration(&s.ReduceTime, "reduce-time", "with --reduce: stop searching after this `TIME` and use the smallest submodel so far").WithDefault("10m").AsRare(),
		session.Switch(&s.Force, "force", "with --reduce: replace existing files").As(session.RoleForce).In(session.GroupResult).AsRare(),
	}
}

// check returns an error for options that have no effect and for files that cannot be written. It
// is called before anything runs.
func (s *reducing) check(ctx context.Context, o *flags.Running, models ...string) error {
	switch {
	case !s.Reduce && s.ReduceOut != "":
		return session.UsageError("--out: has an effect only with --reduce")
	case s.Reduce && o.RunsElsewhere():
		return session.UsageError("--reduce: parts of a model run on this machine only, without --on")
	case s.ReduceOut == "-":
		return session.UsageError("--out -: a submodel cannot be written to standard output, because its inputs are written beside it; name a file")
	case s.ReduceOut == "":
		return nil
	}
	if err := s.checkTargets(ctx); err != nil {
		return err
	}
	return s.refuseModels(models)
}

// alone reports whether a model is to be reduced without anything to compare it with. It is then
// compared with itself without optimization.
func (s *Comparison) alone() bool {
	return s.Reduce && s.B == "" && !s.Reference && s.Data == "" && len(s.sides.A)+len(s.sides.B) == 0
}

// unoptimized returns a comparison of the model with itself, run without optimizations.
func (s *Comparison) unoptimized() *Comparison {
	out := *s
	out.sides.A = []string{"opt=disable"}
	return &out
}

// leastTimeout is the shortest time limit of a part without --timeout. A part that hangs although
// the whole model does not has another problem.
const leastTimeout = 30 * time.Second

// stays has the runners that a reduction uses. They keep workers, so the caller must close them.
type stays struct {
	list []*runtime.Staying
	took time.Duration // time to load and run the whole model
}

func (s *stays) close() {
	for _, x := range s.list {
		_ = x.Close() // its results are complete
	}
}

// runner returns a runner for parts of a model, with the options of a side. It keeps one worker for
// all parts.
func (s *stays) runner(x *Executor, how runtime.Execution) (reduce.Runner, error) {
	w, ok := x.env.Runtime.(*runtime.Workers)
	if !ok {
		return nil, errors.New("--reduce: parts of a model cannot be run here")
	}
	how.Placement = false
	how.Timeout = cmp.Or(how.Timeout, max(leastTimeout, 10*s.took))
	on, err := w.Stay(how)
	if err == nil {
		s.list = append(s.list, on)
	}
	return on, err
}

// plain returns a runner that runs parts of a model without optimization, so that inner values can
// be read.
func (s *stays) plain(x *Executor) (reduce.Runner, error) {
	how := x.how
	how.Opt = "disable"
	return s.runner(x, how)
}

// reduceAlone reduces a model that does not load, or does not run on the case: side b, or else side
// a. It returns nil if both run.
func (s *Comparison) reduceAlone(ctx context.Context, env session.Env, took time.Duration, fed map[string]graphops.Feeds) (*reducedReport, error) {
	for _, side := range []struct {
		name, path string
		said       []string
	}{{"b", cmp.Or(s.B, s.A), s.sides.B}, {"a", s.A, s.sides.A}} {
		x, failed := s.Executor(env, side.path, side.name, side.said)
		if failed != nil {
			return nil, failed
		}
		if x.Model, failed = env.OpenFor(ctx, x.Path, x.how); failed != nil {
			return nil, failed
		}
		job := &reductionJob{step: s, env: env, side: side.name, models: []*graphops.Model{x.Model}, stays: stays{took: took}}
		found, failed := job.run(ctx, reduce.Part{B: x.Model, Feeds: fed[side.name]}, nil, x)
		job.stays.close()
		switch {
		case errors.Is(failed, reduce.ErrSound):
			continue
		case failed != nil:
			return nil, failed
		}
		return found, nil
	}
	return nil, nil
}

// reduceUnrun reduces a model for which no case of the comparison ran.
func (s *Comparison) reduceUnrun(ctx context.Context, env session.Env, p *Pairing, _ against, cases []inputs.Case, _ compare.Options, took time.Duration, r *Report) ([]string, error) {
	fed := cases[0].Feeds
	fedB, err := p.Models[len(p.Models)-1].feedsOf(fed)
	if err != nil {
		return nil, err
	}
	if r.Reduced, err = s.reduceAlone(ctx, env, took, map[string]graphops.Feeds{"a": fed, "b": fedB}); err != nil {
		return nil, fmt.Errorf("reduce: %w", err)
	}
	if r.Reduced == nil {
		r.Notes = append(r.Notes, "nothing is reduced: run by itself, each model runs")
		return nil, nil
	}
	return r.Reduced.files, nil
}

// reduceCase reduces the difference that a comparison found, on its worst case, and adds the result
// to the report.
func (s *Comparison) reduceCase(ctx context.Context, env session.Env, p *Pairing, what against, cases []inputs.Case, o compare.Options, took time.Duration, r *Report) ([]string, error) {
	name, differs := worstCase(r.Report), r.Verdict == compare.Fail
	if !differs {
		name = oddCase(r.Report)
	}
	at := slices.IndexFunc(cases, func(c inputs.Case) bool { return c.Name == name })
	if at < 0 || !differs && s.B != "" {
		r.Notes = append(r.Notes, "nothing is reduced: nothing is wrong")
		return nil, nil
	}
	b := p.Models[len(p.Models)-1]
	job := &reductionJob{step: s, env: env, side: "b", judge: o, stays: stays{took: took}}
	defer job.stays.close()
	for _, x := range p.Models {
		job.models = append(job.models, x.Model)
	}
	fed, err := b.feedsOf(cases[at].Feeds)
	if err != nil {
		return nil, err
	}
	part := reduce.Part{A: b.Model, B: b.Model, Feeds: fed}
	var a *Executor
	switch what {
	case AgainstModel:
		if a = p.Models[0]; a.Model != b.Model {
			part.A = sameInputs(a.Model, b.inputs)
			part.Feeds = withAll(part.Feeds, cases[at].Feeds, b.inputs)
			part.B = inTypesOfA(b.Model, part.Feeds, b.inputs)
			if part.B != b.Model {
				r.Notes = append(r.Notes, "reduced: the inputs of b have the types of a, and Casts convert them")
			}
		}
	case againstExpected, againstTorch:
		x := *b // values inside are known only from the model itself, without optimization
		x.how.Opt = "disable"
		a = &x
	case againstReference:
		job.reference = true
	}
	if !differs {
		part.A = nil // no output differs, so the symptom is NaN or infinities
	}
	found, err := job.run(ctx, part, a, b)
	if errors.Is(err, reduce.ErrSound) && a != nil && len(p.Models) == 2 && differs {
		job.side = "a"
		found, err = job.run(ctx, reduce.Part{B: a.Model, Feeds: cases[at].Feeds}, nil, a)
	}
	switch {
	case errors.Is(err, reduce.ErrSound):
		r.Notes = append(r.Notes, job.sound(what))
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reduce: %w", err)
	}
	found.Case = cases[at].Name
	r.Reduced = found
	return found.files, nil
}

// sameInputs renames the inputs of a model to the names in b.
func sameInputs(m *graphops.Model, pairs []inputPair) *graphops.Model {
	names := map[string]string{}
	for _, p := range pairs {
		if p.B != "" && p.A != p.B {
			names[p.A] = p.B
		}
	}
	return reduce.Renamed(m, names)
}

// withAll adds the inputs that only a has. For inputs that b gets converted, it uses the values of
// a.
func withAll(to, all graphops.Feeds, pairs []inputPair) graphops.Feeds {
	for _, p := range pairs {
		switch {
		case p.B == "":
			to[p.A] = all[p.A]
		case p.Converted != "":
			to[p.B] = all[p.A]
		}
	}
	return to
}

// inTypesOfA converts inputs of a model with Casts, so that it takes the types of a.
func inTypesOfA(m *graphops.Model, in graphops.Feeds, pairs []inputPair) *graphops.Model {
	for _, p := range pairs {
		if p.B == "" || p.Converted == "" {
			continue
		}
		v, ok := m.Graph().Index().Value(p.B)
		if fed, has := in[p.B]; ok && has && fed.IsTensor() {
			t := m.Graph().Index().Type(v)
			t.Elem = fed.Tensor.DType
			m = reduce.CastInput(m, p.B, t, p.to)
		}
	}
	return m
}

// reductionJob is one reduction and how its result is written.
type reductionJob struct {
	step      *Comparison
	env       session.Env
	side      string
	judge     compare.Options
	reference bool              // side a is the reference evaluator
	models    []*graphops.Model // their files must not be replaced
	stays     stays
}

// sound returns the reason why there is nothing to reduce.
func (j *reductionJob) sound(what against) string {
	if what == againstExpected {
		return "nothing is reduced: the expected values inside the model are not known, and without optimizations it computes the same; name a second model, or --reference"
	}
	return "nothing is reduced: run by itself, the case shows no difference"
}

// run searches, writes the result, and checks that it shows the problem. If a is nil, b is judged
// by itself.
func (j *reductionJob) run(ctx context.Context, part reduce.Part, a, b *Executor) (*reducedReport, error) {
	sides := reduce.Sides{Judge: j.judge}
	err := j.refuseSources(j.models...)
	if err != nil {
		return nil, err
	}
	if sides.B, err = j.stays.runner(b, b.how); err != nil {
		return nil, err
	}
	plain := b
	if a != nil {
		plain = a
		if sides.A, err = j.stays.runner(a, a.how); err != nil {
			return nil, err
		}
	}
	if j.reference {
		evaluator, err := newReferenceParts(j.env, b)
		if err != nil {
			return nil, err
		}
		defer evaluator.close()
		sides.A = evaluator
	}
	if sides.Plain, err = j.stays.plain(plain); err != nil {
		return nil, err
	}
	start := time.Now()
	found, err := reduce.Reduce(ctx, part, sides, reduce.Options{
		Budget: cmp.Or(j.step.ReduceTime, defaultReduceTime),
		Layers: layers.Options{RTol: j.step.RTol, ATol: j.step.ATol, Memory: j.step.memory()},
		Progress: func(p reduce.Progress) {
			j.env.Progress(session.Progress{Phase: fmt.Sprintf("reducing: %d → %d nodes, %d tried, %s", p.From, p.Nodes, p.Tried, text.Elapsed(time.Since(start)))})
		},
	})
	if err != nil {
		return nil, err
	}
	r := reducedOf(found, j.side)
	return r, j.write(ctx, found, sides, r)
}

// oddCase returns a case with an output that has NaN or infinities, or "".
func oddCase(r *compare.Report) string {
	for _, c := range r.Cases {
		if inputs.Family(c.Family).IsExtreme() {
			continue
		}
		for _, o := range c.Outputs {
			if o.NaN+o.Inf > 0 {
				return c.Name
			}
		}
	}
	return ""
}
