package sides

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/generating"
	"lathe/session/runtime"
)

// generateOptions has the option that compares what both sides generate.
type generateOptions struct{ Generate int64 }

func (o *generateOptions) options() []session.Option {
	return session.Measuring(
		session.Int(&o.Generate, "generate", "compare `N` tokens that both sides generate; from the same prompts, with the scores of each token, and the model and the node that cause a difference; the rows of --input IDS=FILE are prompts", 1).WithDefault("none").AsUsual(),
	)
}

// Generates reports whether generated tokens are compared.
func (s *Comparison) Generates() bool { return s.Generate > 0 }

// plainOnly are the options that have no meaning for generated tokens.
var plainOnly = []string{"data", "cases", "save-failing", "reduce", "tolerance"}

// checkGenerate returns an error for options that have no meaning for generated tokens.
func (s *Comparison) checkGenerate() error {
	for _, o := range s.Options() {
		if slices.Contains(plainOnly, o.Name) && len(o.Values()) > 0 {
			return session.UsageError(fmt.Sprintf("--generate and --%s: tokens are generated from prompts, without other cases and outputs; leave one of them out", o.LongFlag()))
		}
	}
	return nil
}

// generate compares what two models generate, or the same one run in two ways.
func (s *Comparison) generate(ctx context.Context, env session.Env) (session.Result, error) {
	what, err := s.against()
	switch {
	case err != nil:
		return session.Result{}, err
	case what == againstItself:
		return session.Result{}, session.UsageError("--generate: nothing to compare the model with; name a second model, --torch, --reference, or an option of one side, such as --b ep=cuda")
	case what == againstTorch, what == againstReference:
		return s.generateLike(ctx, env, what)
	}
	b := s.B
	if b == "" {
		b = s.A
	}
	return s.Generated(ctx, env, Pipeline{Path: s.A, Decoder: Stage{Path: s.A, Input: s.Input}}, Pipeline{Path: b, Decoder: Stage{Path: b, Input: s.Input}})
}

// Generated compares what two pipelines generate.
func (s *Comparison) Generated(ctx context.Context, env session.Env, a, b Pipeline) (session.Result, error) {
	start := time.Now()
	if err := s.checkGenerate(); err != nil {
		return session.Result{}, err
	}
	g := &generated{step: s, env: env, start: start}
	defer g.close()
	env.Progress(session.Progress{Phase: "loading"})
	if err := g.open(ctx, a, b); err != nil {
		var refused *runtime.Failure
		if errors.As(err, &refused) {
			return s.unloaded(ctx, env, err, time.Since(start))
		}
		return session.Result{}, err
	}
	return g.compare(ctx)
}

// generateLike compares a model with PyTorch or the reference evaluator, which take its inputs by the
// same names.
func (s *Comparison) generateLike(ctx context.Context, env session.Env, what against) (session.Result, error) {
	if err := s.checkGenerate(); err != nil {
		return session.Result{}, err
	}
	p, err := s.pair(ctx, env, what)
	if err != nil {
		return s.unloaded(ctx, env, err, 0)
	}
	defer p.Close()
	x := p.Models[0]
	one := &line{decoder: &stage{Stage: Stage{Path: x.Path, Input: s.Input}, x: x, run: x.own}}
	other := &line{decoder: &stage{Stage: one.decoder.Stage, x: x, run: p.A.Run}}
	g := &generated{step: s, env: env, start: time.Now(), lines: [2]*line{other, one}, what: what, pair: p}
	return g.compare(ctx)
}

// generated is a comparison of generated tokens in progress. Line 0 is side a.
type generated struct {
	step  *Comparison
	env   session.Env
	start time.Time
	lines [2]*line
	what  against
	pair  *Pairing // of PyTorch or the reference evaluator; nil if both sides run in ONNX Runtime
	notes []string
}

func (g *generated) close() {
	for _, l := range g.lines {
		if l != nil {
			l.close()
		}
	}
}

func (g *generated) compare(ctx context.Context) (session.Result, error) {
	prompts, err := g.prepare(ctx)
	if err != nil {
		return session.Result{}, err
	}
	o := g.options()
	r, spot, err := generating.Compare(ctx, g.lines[0].side(), g.lines[1].side(), prompts, o)
	if err != nil {
		return g.stopped(ctx, err)
	}
	for _, l := range g.lines {
		for _, st := range l.all() {
			if st.plan != nil {
				r.Assumed = append(r.Assumed, st.plan.Notes...)
			}
		}
	}
	slices.Sort(r.Assumed)
	r.Assumed = slices.Compact(r.Assumed)
	report := g.report(r)
	if spot != nil && (r.Verdict == compare.Fail || g.step.Layers) {
		if err := g.locate(ctx, spot, report); err != nil {
			return session.Result{}, err
		}
	}
	return session.Result{Report: report, No: !report.Pass}, nil
}

// stopped returns the result if a run failed. If the runtime ran a and not b, that counts against b.
func (g *generated) stopped(ctx context.Context, err error) (session.Result, error) {
	var side *generating.SideError
	var failure *runtime.Failure
	if ctx.Err() != nil || !errors.As(err, &side) || !side.B || !errors.As(err, &failure) {
		return session.Result{}, err
	}
	report := UnrunReport(g.lines[0].path, g.lines[1].path, compare.Fail, "b stops where a does not: "+ReasonOf(side.Err))
	report.Notes = append(report.Notes, g.notes...)
	return session.Result{Report: report, No: true}, nil
}

// options are how the scores are judged: within the tolerance of the coarsest type in which the models
// compute, or as the user asked.
func (g *generated) options() generating.Options {
	const scale = "; the absolute one is multiplied by the root mean square of the scores"
	a, b, precision := g.lines[0].scored(), g.lines[1].scored(), coarsest(g.models()...)
	o := generating.Options{Tokens: int(g.step.Generate)}
	o.Tolerance, o.Why = compare.ToleranceAfterSum(a, b, precision), b.String()+", after sums"+scale
	if precision.Valid() && precision != b {
		o.Why = precision.String() + ", in which one side computes, after sums" + scale
	}
	if g.step.RTol != nil {
		o.Tolerance.RTol = *g.step.RTol
	}
	if g.step.ATol != nil {
		o.Tolerance.ATol = *g.step.ATol
	}
	if o.Asked = g.step.RTol != nil || g.step.ATol != nil; o.Asked {
		o.Why = "as asked"
	}
	o.Progress = func(done, total int) {
		g.env.Progress(session.Progress{Phase: "generating", Done: int64(done), Total: int64(total), Unit: "tokens"})
	}
	return o
}

// report makes the report of a comparison.
func (g *generated) report(r *generating.Report) *Report {
	a, b := g.lines[0], g.lines[1]
	report := UnrunReport(a.path, b.path, r.Verdict, r.Headline)
	report.Generated = &generatedReport{Report: r, Located: []located{}}
	report.Sides = Sides{a.decoder.x.Side, b.decoder.x.Side}
	if g.pair != nil {
		report.Sides = g.pair.Ran()
	}
	for _, n := range g.notes {
		if !slices.Contains(report.Notes, n) {
			report.Notes = append(report.Notes, n)
		}
	}
	if g.single() {
		report.of = []*Executor{a.decoder.x, b.decoder.x}
		if g.pair != nil {
			report.of = g.pair.Models
		}
	} else if !g.step.NoStore && g.env.Results != "" {
		report.Notes = append(report.Notes, "the results are not stored for lathe history, which has results of single models")
	}
	for _, x := range report.of {
		for _, about := range x.notes {
			if note := x.Path + ": " + about; !slices.Contains(report.Notes, note) {
				report.Notes = append(report.Notes, note)
			}
		}
	}
	return report
}
