package stepwise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/sizing"
	"lathe/session/text"
)

// Check compares a model with itself: all tokens at once, and the same tokens a few at a time. run runs
// the model. The error is that of the context, or one that has nothing to do with the model; a model
// that cannot be compared has a report that says why.
func Check(ctx context.Context, m *graphops.Model, run Run, found *roles.Roles, o Options) (*Report, error) {
	k := &check{o: o, m: m, found: found, report: newReport()}
	defer k.close()
	err := k.do(ctx, run)
	var no refusal
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &no):
		k.report.undecided(string(no))
	case err != nil:
		return nil, err
	case k.report.Verdict == compare.Undecided:
		k.report.undecided("no way to run it step by step ran: " + strings.Join(k.report.NotCompared, "; "))
	case k.report.Verdict == compare.Pass:
		k.report.conclude()
	}
	return k.report, nil
}

// check is a comparison in progress.
type check struct {
	o      Options
	m      *graphops.Model
	found  *roles.Roles
	report *Report
	copied string // why all tokens at once are run by a copy of the model, or ""
	ends   []func()
}

func (k *check) close() {
	for _, end := range k.ends {
		end()
	}
}

// do compares.
func (k *check) do(ctx context.Context, run Run) error {
	k.o.Inputs.Model = k.m
	atOnce := run
	d, err := newDecoder(k.found, k.o.Types)
	if err != nil {
		return err
	}
	if only := d.typeOf(d.ids).Shape[1]; only.IsFixed() && only.Value == 1 {
		if d, atOnce, err = k.freed(ctx, d); err != nil {
			return err
		}
	}
	d.run = run
	r, err := k.reference(ctx, d, atOnce)
	if err != nil {
		return err
	}
	j := newJudge(&k.o, k.elem(r))
	k.report.describe(d, k.copied)
	defer func() { k.report.tolerance(j) }()
	if done, err := k.consistent(ctx, r, j); done || err != nil {
		return err
	}
	if done, err := k.steps(ctx, r, j); done || err != nil {
		return err
	}
	if done, err := k.chunks(ctx, r, j); done || err != nil {
		return err
	}
	return k.depends(ctx, r, j)
}

// fewestTokens is the smallest number of tokens that are tried, if more do not run.
const fewestTokens = 3

// reference runs the model over all tokens at once. If the runtime rejects the sizes, others are tried.
func (k *check) reference(ctx context.Context, d *decoder, run Run) (*reference, error) {
	for {
		if err := d.generate(ctx, k.o.Inputs); err != nil {
			return nil, asRefusal(ctx, err)
		}
		s, err := d.first(ctx, run, d.tokens, shift{})
		if err == nil {
			return &reference{decoder: d, run: run, whole: s, parts: map[int64]*seen{d.tokens: s}}, nil
		}
		no, sizes := sizing.RefusalOf(err)
		if sizes {
			d.fit.Refused(no)
			_, sizes = d.fit.Next(ctx)
		}
		switch {
		case sizes && ctx.Err() == nil:
		case d.tokens < 2*fewestTokens || ctx.Err() != nil:
			err = fmt.Errorf("%d tokens at once do not run: %w", d.tokens, err)
			if k.copied != "" {
				err = fmt.Errorf("%s, where %w", k.copied, err)
			}
			return nil, asRefusal(ctx, err)
		default:
			k.report.left(fmt.Sprintf("%d tokens at once, which do not run: %s", d.tokens, text.CleanLine(err.Error())))
			d.tokens, d.prefix, d.fit = d.tokens/2, min(d.prefix, d.tokens/4), nil
		}
	}
}

// asRefusal returns an error of the model as the reason why it cannot be compared.
func asRefusal(ctx context.Context, err error) error {
	var no refusal
	if ctx.Err() != nil || errors.As(err, &no) {
		return err
	}
	return refusal(err.Error())
}

// elem returns the coarsest type of what is compared.
func (k *check) elem(r *reference) tensor.DType {
	found := tensor.Undefined
	for _, name := range slices.Concat(r.rows, presents(r.caches)) {
		t := r.whole.out[name].DType
		if t.Kind() != tensor.KindFloat {
			continue
		}
		if found == tensor.Undefined || compare.ToleranceOf(t).RTol > compare.ToleranceOf(found).RTol {
			found = t
		}
	}
	return found
}

func presents(caches []cache) []string {
	var out []string
	for _, c := range caches {
		if c.present != "" {
			out = append(out, c.present)
		}
	}
	return out
}

// consistent compares runs over the first tokens with the run over all: later tokens must not change
// what comes out at earlier positions. It does not use the cache.
func (k *check) consistent(ctx context.Context, r *reference, j *judge) (done bool, err error) {
	n := max(r.prefix, 1)
	s, err := r.first(ctx, n)
	if err != nil {
		return true, asRefusal(ctx, fmt.Errorf("%d tokens at once do not run, although %d do: %w", n, r.tokens, err))
	}
	c, err := k.compare(ctx, r, j, []*seen{s}, r.caches)
	if err != nil {
		return true, asRefusal(ctx, err)
	}
	if len(c.differences) == 0 {
		return false, nil
	}
	if k.copied != "" {
		return true, refuse("%s, but there a later token changes output %q at position %d: the model is made for one token", k.copied, c.differences[0].Output, c.differences[0].Position)
	}
	x := &explainer{check: k, reference: r, judge: j, runs: []*seen{s}, counts: []int64{n}, found: c}
	way := fmt.Sprintf("%d tokens at once", n)
	k.report.fail("a later token changes what comes out at an earlier position: "+way+fmt.Sprintf(" differ from %d", r.tokens), way, c, x.explain(ctx))
	return true, ctx.Err()
}

// steps compares one token at a time after the first tokens.
func (k *check) steps(ctx context.Context, r *reference, j *judge) (done bool, err error) {
	way := fmt.Sprintf("%d tokens, then one at a time", r.prefix)
	if r.prefix == 0 {
		way = "one token at a time"
	}
	return k.walked(ctx, r, j, way, r.single(r.prefix))
}

// chunks compares several tokens after the first ones, if the model takes several.
func (k *check) chunks(ctx context.Context, r *reference, j *judge) (done bool, err error) {
	switch {
	case k.copied != "":
		k.report.left("several tokens with a past: it takes one token in a run")
		return false, nil
	case slices.ContainsFunc(r.caches, func(c cache) bool { return c.way == sliding }) && r.tokens > r.prefix+1:
		k.report.left("several tokens with a past: the cache of a window has no room for those that leave it")
		return false, nil
	case r.batch > 1 && k.oneSequence():
		return k.oneByOne(ctx, r, j)
	}
	return k.walked(ctx, r, j, fmt.Sprintf("%d tokens, then %d", r.prefix, r.tokens-r.prefix), []int64{r.prefix, r.tokens - r.prefix})
}

// oneSequence reports whether the operator takes several tokens with a past of one sequence only.
func (k *check) oneSequence() bool {
	return slices.ContainsFunc(k.found.Pairs, func(p roles.Pair) bool { return p.Form.Name == "group-query" })
}

// oneByOne compares several tokens after the first ones, of one sequence.
func (k *check) oneByOne(ctx context.Context, r *reference, j *judge) (done bool, err error) {
	d, err := newDecoder(k.found, k.o.Types)
	if err != nil {
		return true, err
	}
	d.batch, d.tokens, d.prefix, d.run = 1, r.tokens, r.prefix, r.decoder.run
	one, err := k.reference(ctx, d, r.run)
	if err != nil || one.batch != 1 {
		k.report.left(fmt.Sprintf("several tokens with a past: GroupQueryAttention takes them of one sequence only, and the batch is %d", r.batch))
		return false, ctx.Err()
	}
	return k.walked(ctx, one, j, fmt.Sprintf("%d tokens, then %d, of one sequence", d.prefix, d.tokens-d.prefix), []int64{d.prefix, d.tokens - d.prefix})
}

// walked compares runs over some tokens each with the run over all.
func (k *check) walked(ctx context.Context, r *reference, j *judge, way string, counts []int64) (done bool, err error) {
	runs, err := r.walk(ctx, r.decoder.run, counts, r.caches, shift{})
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case err != nil && len(runs) < 2:
		k.report.left(fmt.Sprintf("%s: %s", way, err))
		return false, nil
	}
	stopped := err
	c, err := k.compare(ctx, r, j, runs, r.caches)
	if err != nil {
		return true, asRefusal(ctx, err)
	}
	if stopped != nil && len(c.differences) == 0 {
		k.report.stopped(way, c, runs[len(runs)-1].end(), stopped)
		return true, nil
	}
	if len(c.differences) == 0 {
		k.report.pass(way, c, runs, r)
		return false, nil
	}
	x := &explainer{check: k, reference: r, judge: j, runs: runs, counts: counts, found: c}
	k.report.fail("step by step differs from all at once ("+way+")", way, c, x.explain(ctx))
	return true, ctx.Err()
}
