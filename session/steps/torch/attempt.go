package torch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// tryAll tries the strategies one after the other, each on a newly made model, until the result of
// one is right.
func (j *torchJob) tryAll(ctx context.Context) (session.Result, error) {
	start := time.Now()
	b, err := j.step.openIn(ctx, j)
	if err != nil {
		return j.neverOpened(ctx, err, start)
	}
	defer func() { b.Close() }()
	j.report.takeTarget(b.Description)
	strategies := j.strategies(b.Description)
	if len(strategies) == 0 {
		return session.Result{}, fmt.Errorf("%s: a %s of PyTorch %s cannot be exported with any of the requested strategies, %s", j.step.Target, b.Description.Kind, text.Clean(b.Description.Versions["torch"]), strings.Join(j.step.Strategy, ", "))
	}
	for _, strategy := range strategies {
		if b.Ended() { // the previous strategy took too long
			if b, err = j.step.openIn(ctx, j); err != nil {
				return j.neverOpened(ctx, err, start)
			}
		}
		done, err := j.attempt(ctx, b, strategy, start)
		if err != nil {
			return session.Result{}, err
		}
		if done != nil {
			return *done, nil
		}
		start = time.Now()
		if last := j.report.Attempts[len(j.report.Attempts)-1]; last.Validation != nil && last.Validation.Verdict == compare.Undecided {
			break // another strategy makes the same model, which cannot be judged either
		}
	}
	j.report.leaveTried(j.asked())
	if j.kept != nil {
		return j.saveConditional(ctx)
	}
	return session.Result{Report: j.report, No: true}, nil
}

// saveConditional writes a model that is right only for the path that the example takes through the
// code. The report says so.
func (j *torchJob) saveConditional(ctx context.Context) (session.Result, error) {
	j.report.taken = j.kept.attempt
	r, err := j.save(ctx, j.kept.model, j.kept.weights)
	if err != nil {
		return session.Result{}, err
	}
	j.report.OK, r.No = false, true
	return *r, nil
}

// neverOpened returns the result if the PyTorch model could not be made.
func (j *torchJob) neverOpened(ctx context.Context, err error, start time.Time) (session.Result, error) {
	var failed *torch.FailedError
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return session.Result{}, err
	}
	a := &attempt{Stage: failed.Raw.Stage, Seconds: time.Since(start).Seconds(), Warnings: reporting.OrEmpty(j.warned)}
	a.fail(failed.Raw)
	j.report.Attempts = append(j.report.Attempts, a)
	j.report.leaveTried(j.asked())
	return session.Result{Report: j.report, No: true}, nil
}

// attempt exports with one strategy and compares the result with PyTorch. The result is nil if the
// next strategy should be tried.
func (j *torchJob) attempt(ctx context.Context, b *torch.Bridge, strategy torch.Strategy, start time.Time) (*session.Result, error) {
	a := &attempt{Strategy: string(strategy)}
	j.report.Attempts = append(j.report.Attempts, a)
	defer func() {
		a.Seconds, a.Warnings, j.warned, j.traced = time.Since(start).Seconds(), reporting.OrEmpty(j.warned), nil, nil
	}()
	j.env.Progress(session.Progress{Phase: "exporting, " + string(strategy)})
	folder := filepath.Join(j.temp, string(strategy))
	made, err := b.Export(ctx, torch.Export{
		Strategy: strategy, Path: filepath.Join(folder, "model.onnx"), Artifacts: folder,
		Dynamic: j.dynamic, DynamicOutputs: j.outputs, InputNames: j.step.InputNames, OutputNames: j.step.OutputNames,
		Options: j.options(), Translations: j.step.Translations, Symbolic: j.step.Symbolic, Training: j.step.Training, KeepWeights: j.step.NoInitializers,
	})
	a.PeakBytes = made.PeakBytes
	moved, kept := j.keepArtifacts(ctx, folder)
	if kept != nil {
		return nil, kept
	}
	a.Report = moved[made.Report]
	for _, name := range j.step.left(strategy) {
		j.report.warnOnce("%s: does not support %s", strategy, name)
	}
	for _, name := range made.Without {
		if name != "fallback" && name != "dynamo" { // never set by the user
			j.report.Warnings = append(j.report.Warnings, fmt.Sprintf("%s: the installed exporter has no option %s, which was left out", strategy, name))
		}
	}
	j.learn(made.Beyond)
	var failed *torch.FailedError
	if errors.As(err, &failed) {
		f := failure.Distil(failure.Reported(failed.Raw))
		j.enrich(&f, b.Description)
		a.failWith(f)
		return nil, nil
	}
	if err == nil && j.sizesUnknown(b.Description, strategy) {
		list, known, err := b.Beyond(ctx, j.dynamic, j.conditions())
		if err != nil {
			return nil, err
		}
		j.learn(list)
		j.known = known
	}
	j.ranges = made.Ranges
	j.tellOf(b.Description, strategy)
	if err != nil {
		return nil, err
	}
	return j.take(ctx, b, a, filepath.Join(folder, "model.onnx"), made)
}

// take judges an exported model, and saves it if it is right.
func (j *torchJob) take(ctx context.Context, b *torch.Bridge, a *attempt, path string, made torch.Exported) (*session.Result, error) {
	a.Stage = "open"
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		a.fail(failure.Raw{Strategy: a.Strategy, Stage: "save", Signal: "the exporter wrote a file that cannot be read: " + err.Error()})
		return nil, nil //nolint:nilerr // the attempt has the reason
	}
	a.Exported = true
	if m, err = b.Restore(ctx, m); err != nil {
		return nil, err
	}
	m, renamed := b.Name(m, len(made.Fakes))
	for _, r := range renamed {
		j.report.warnOnce("%s", r)
	}
	if m, err = j.weighted(ctx, m, made.Fakes); err != nil {
		return nil, err
	}
	if m, err = j.raised(ctx, m, j.tried()); err != nil {
		return nil, err
	}
	if m, err = j.settled(ctx, b, m); err != nil {
		return nil, err
	}
	if a.Opset, _ = m.Opset(""); j.step.Opset > 0 && a.Opset > j.step.Opset && !j.step.anyOpset {
		a.failWith(newerThanAsked(a.Opset, j.step.Opset))
		return nil, nil
	}
	if why := j.fixedAxis(b, m); why != "" {
		a.failWith(j.failsToFree(b.Description, j.dynamic, why))
		return nil, nil
	}
	if right, err := j.validate(ctx, b, a, m); err != nil || !right {
		return nil, err
	}
	if a.Validation != nil {
		m = j.contradicted(m, a.Validation)
	}
	if len(a.Conditional) > 0 {
		a.Stage = "done"
		if j.kept == nil {
			j.kept = &conditional{m, made.Weights, a}
		}
		return nil, nil
	}
	a.OK, a.Stage, j.report.taken = true, "done", a
	return j.save(ctx, m, made.Weights)
}

// save writes the model with these weights to the output file.
func (j *torchJob) save(ctx context.Context, m *graphops.Model, weights []string) (*session.Result, error) {
	s := j.step
	m, err := j.raised(ctx, m, s.Opset)
	if err != nil {
		return nil, err
	}
	out, err := s.arranged(m, weights)
	if err != nil {
		return nil, err
	}
	if got, _ := m.Opset(""); s.Opset > 0 && got != s.Opset {
		j.report.warn("opset %d was requested, and the exporter wrote %d", s.Opset, got)
	}
	var lossy bool
	if s.finish != nil {
		if out, j.report.Quantize, err = s.finish(ctx, j.env, out); err != nil {
			return nil, err
		}
		lossy = j.report.Quantize.IsDoubtful()
	}
	if !s.NoProvenance {
		out = flags.WithProvenance(out, graphops.Entry{Key: flags.MadeBy, Value: j.env.Version}, graphops.Entry{Key: flags.MadeHow, Value: flags.RecipeOf(j.asked())})
	}
	storage := graphops.SaveOptions{Storage: graphops.StoreEmbedded}
	if s.MinExternal > 0 {
		storage = graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: s.MinExternal}
	} else if n, err := graphops.SavedSize(out, storage); err == nil && n > graphops.MaxModelBytes {
		storage = graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: graphops.DefaultMinExternal}
		j.report.warn("one file cannot hold %d bytes, so the weights are stored beside the model", n)
	}
	written := s.Saving
	if s.Out == "" { // without an output file, the model lives in a temporary file
		written, storage.Storage = flags.Saving{Out: filepath.Join(j.temp, "out.onnx")}, graphops.StoreEmbedded
	}
	file, err := written.Save(ctx, j.env, out, storage)
	if err != nil {
		return nil, err
	}
	if out, err = j.env.Open(file.Path); err != nil {
		return nil, err
	}
	if s.Out != "" {
		j.report.File = file
	}
	j.report.OK = true
	j.report.describe(out)
	undecided := j.report.taken.Steps != nil && !j.report.taken.Steps.Pass
	result := &session.Result{Report: j.report, Files: j.report.File.Files(), No: lossy || undecided}
	if s.Out == "" {
		result.Model = out
	}
	return result, nil
}

// asked returns the step that the user called, which may be Task instead of Export.
func (j *torchJob) asked() session.Step {
	if j.step.as != nil {
		return j.step.as
	}
	return j.step
}

// arranged stores the weights of the model where the options say. weights are the names in the
// model's state_dict. Other initializers are constants of the exporter, which a file of weights
// does not have.
func (s *Export) arranged(m *graphops.Model, weights []string) (*graphops.Model, error) {
	var held []string
	for _, t := range m.Graph().Initializers() {
		if slices.Contains(weights, t.Name()) {
			held = append(held, t.Name())
		}
	}
	var err error
	switch main := m.Places()[0]; {
	case s.NoInitializers && len(held) == 0:
	case s.AsInputs && s.NoInitializers:
		m, _, _, err = edit.InitializersToInputs(m, main, edit.InputOptions{Values: held})
	case s.AsInputs:
		m, _, _, err = edit.InitializersToInputs(m, main, edit.InputOptions{Optional: true})
	case s.NoInitializers:
		m, _, _, err = edit.InitializersOut(m, main, held)
	}
	return m, err
}
