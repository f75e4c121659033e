package torch

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/apply"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/filling"
	"lathe/session/python"
	"lathe/session/text"
	"lathe/session/torch"
)

// faked returns an error for options that need weights in an export without weights.
func (s *Export) faked() error {
	switch {
	case s.Weights != "" && !s.Fake:
		return session.UsageError("--weights: fills a model that was made with --fake; lathe export fills any other model")
	case !s.Fake:
		return nil
	case slices.Contains(s.Strategy, string(torch.Legacy)):
		return session.UsageError("--fake: needs the new exporter, --strategy non-strict,strict; the old one has to run the model")
	case s.Training:
		return session.UsageError("--fake: cannot be combined with --training, which needs the old exporter")
	case s.Verify || s.Dump:
		return session.UsageError("--fake: there are no weights to verify with, or to save in an exported program")
	}
	return nil
}

// weighted adds weights to a model that was exported without them. With --weights, they come from
// that file. Otherwise the model gets initializers with only names and types, and lathe export
// --weights can add the elements later.
func (j *torchJob) weighted(ctx context.Context, m *graphops.Model, fakes []torch.Fake) (*graphops.Model, error) {
	s := j.step
	if s.Weights == "" && s.AsInputs && s.NoInitializers {
		return m, nil // the weights stay inputs, which every run has to set
	}
	var names []string
	aliases := map[string][]string{}
	for _, f := range fakes {
		names, aliases[f.Name] = append(names, f.Name), f.Aliases
	}
	m, err := edit.InputsOut(m, names)
	if err != nil || s.Weights == "" {
		return m, err
	}
	j.env.Progress(session.Progress{Phase: "looking at " + text.Clean(s.Weights)})
	f := filling.Flags{Weights: s.Weights}
	set, err := f.Open(ctx, j.env, s.Weights)
	if err != nil {
		return nil, err
	}
	m, fitting, err := apply.To(m, set, apply.Options{Aliases: aliases})
	if err := filling.Explain(err, set); err != nil {
		_ = set.Close() // the file was only read
		return nil, err
	}
	j.report.Filled = filling.NewReport(set, fitting)
	for _, w := range slices.Concat(set.Warnings, fitting.Warnings) {
		j.report.warn("%s: %s", s.Weights, w)
	}
	return m, nil
}

// weigh gives the weights of the saved model to the PyTorch model, so that both can be compared.
// why is the reason if that is not possible, and "" otherwise.
func (j *torchJob) weigh(ctx context.Context, b *torch.Bridge, path string) (why string, err error) {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return "", err
	}
	filled := map[string]bool{}
	for _, fit := range j.report.Filled.Fits {
		filled[fit.Value] = true
	}
	var weights []*graphops.Tensor
	for _, t := range m.Graph().Initializers() {
		if filled[t.Name()] {
			weights = append(weights, t)
		}
	}
	missing, err := b.Weigh(ctx, weights)
	var refused python.RefusedError
	switch {
	case errors.As(err, &refused):
		return refused.Error(), nil
	case err == nil && len(missing) > 0:
		return "the PyTorch model has parameters that the exported model does not have: " + graphops.QuoteNames(missing), nil
	}
	return "", err
}
