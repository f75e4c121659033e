package torch

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/sides"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// validate compares the exported model with PyTorch. It returns true if the model is right, or if
// it is not to be validated.
func (j *torchJob) validate(ctx context.Context, b *torch.Bridge, a *attempt, m *graphops.Model) (bool, error) {
	a.Stage = "validate"
	if j.step.Training {
		wrong, err := trainable(ctx, b, m)
		if wrong != "" {
			a.fail(failure.Raw{Strategy: a.Strategy, Stage: "validate", Signal: wrong})
		}
		a.Trainable = err == nil && wrong == ""
		return a.Trainable, err
	}
	if j.step.NoValidate {
		j.report.warn("the exported model was not compared with PyTorch: --no-check")
		return true, nil
	}
	if j.step.Fake && j.step.Weights == "" {
		j.report.warn("the model has no weights yet, so it was not compared with PyTorch: lathe export --weights adds them, and lathe validate --torch %s compares it", j.step.Target)
		return true, nil
	}
	// Cases are made by the names of axes, so the model is saved with them.
	path := filepath.Join(j.temp, a.Strategy+".onnx")
	storage := graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: graphops.DefaultMinExternal}
	if j.step.Fake {
		storage.MinExternal = 1 // PyTorch maps the weights from there
	}
	_, err := graphops.Save(ctx, m, path, storage)
	if err != nil {
		return false, err
	}
	if j.step.Fake {
		if b, err = b.Fork(ctx); err != nil {
			return false, err
		}
		defer b.Close()
		if why, err := j.weigh(ctx, b, path); why != "" || err != nil {
			j.report.warn("the exported model was not compared with PyTorch: %s", why)
			return true, err
		}
	}
	v := &sides.Comparison{A: path, Torch: j.step.Target, Opened: b, Beyond: j.beyond, Execution: j.step.Execution}
	v.NoStore = true
	r, err := v.Run(ctx, j.env)
	switch {
	case ctx.Err() != nil:
		return false, err
	case errors.Is(err, ort.ErrNoRuntime):
		j.report.warn("the exported model was not compared with PyTorch: %v", err)
		return true, nil
	case err != nil:
		a.ranBadly(strings.ReplaceAll(err.Error(), path, "the exported model"))
		return false, nil
	}
	report := r.Report.(*sides.Report)
	if broken := cmp.Or(report.Broken, report.NoCaseRan()); broken != nil {
		a.ranBadly(strings.ReplaceAll(broken.Error(), path, "the exported model"))
		return false, nil
	}
	a.Validation = report
	a.Validation.B = "the exported model by " + a.Strategy
	for i, f := range a.Validation.Findings {
		a.Validation.Findings[i].Reason = strings.ReplaceAll(f.Reason, strconv.Quote(path), "the exported model")
	}
	if j.onlyElsewhere(b, report) {
		a.Conditional = j.pathsThatFail(b, report)
		return len(a.Conditional) > 0, nil
	}
	axes := j.axes(b.Description)
	switch why := j.unfree(b.Description, axes, a.Validation); {
	case r.No && !a.rightInPart():
		f := j.judged(a.Validation)
		slow, err := j.rightWhenSlow(ctx, b, m, v)
		if err != nil {
			return false, err
		}
		if slow {
			f.Meaning = "PyTorch's fast path for nn.TransformerEncoder gives other values at masked places, which no exporter reproduces; when it is off, the outputs of the example are equal"
			f.Next = slices.Insert(f.Next, 0, failure.Suggestion{Kind: "code", Text: "call torch.backends.mha.set_fastpath_enabled(False) where the model is made"})
		}
		a.failWith(f)
	case why != "":
		a.Validation.Settle(compare.Fail, why)
		a.failWith(j.failsToFree(b.Description, axes, why))
	}
	if a.Failure == nil {
		if a.Conditional, err = j.fixedPaths(ctx, b, m, path); err != nil {
			return false, err
		}
		err = j.stepByStep(ctx, b, a, m, path)
	}
	return a.Failure == nil, err
}

// notStepwise is the kind of failure of a model that gives something else with its cache than without.
const notStepwise = "steps"

// stepByStep compares an exported model that has a cache with itself. It lets the attempt fail if the
// model gives something else step by step than all at once.
func (j *torchJob) stepByStep(ctx context.Context, b *torch.Bridge, a *attempt, m *graphops.Model, path string) error {
	s := &sides.Comparison{A: path, Execution: j.step.Execution}
	if b.Description.OneToken {
		e, err := sides.EagerOf(b, m)
		if err != nil {
			return err
		}
		s.AtOnce = e.AtOnce
	}
	var err error
	if a.Steps, err = s.Itself(ctx, j.env); err != nil {
		if ctx.Err() != nil {
			return err
		}
		j.report.warnOnce("the exported model was not run step by step: %v", err)
		return nil
	}
	if a.Steps != nil && a.Steps.Verdict == compare.Fail {
		a.failWith(failure.Failure{
			Stage: "validate", Error: a.Steps.Headline, Entry: notStepwise,
			Meaning: "the exported model equals PyTorch in every run, but with the cache of the run before it gives something else than all tokens at once; PyTorch with this code does the same",
			Next:    []failure.Suggestion{{Kind: "code", Text: "look at how the code uses the cache, the mask and the positions: lathe validate MODEL says at which position the difference begins"}},
		})
	}
	return nil
}

// rightWhenSlow reports whether the results for the example are equal if PyTorch does not use its
// fast path.
func (j *torchJob) rightWhenSlow(ctx context.Context, b *torch.Bridge, m *graphops.Model, v *sides.Comparison) (bool, error) {
	slow, err := b.Slow(ctx)
	if slow == nil || err != nil {
		return false, err
	}
	defer slow.Close()
	example, err := slow.Example(ctx)
	if err != nil {
		return false, err
	}
	e, err := sides.EagerOf(slow, m)
	if err != nil {
		return false, err
	}
	one, err := e.CaseOfExample(example)
	if err != nil {
		return false, err
	}
	again := *v
	again.Opened, again.Only = slow, []inputs.Case{one}
	r, err := again.Run(ctx, j.env)
	return err == nil && !r.No, ctx.Err()
}

// learn notes sizes that may lead to another path, each once.
func (j *torchJob) learn(list []torch.Beyond) {
	for _, b := range list {
		if !slices.ContainsFunc(j.beyond, func(had torch.Beyond) bool { return had.At() == b.At() && slices.Equal(had.Sizes, b.Sizes) }) {
			j.beyond = append(j.beyond, b)
		}
	}
}
