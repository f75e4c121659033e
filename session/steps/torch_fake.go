package steps

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/apply"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/python"
	"lathe/session/text"
	"lathe/session/torch"
)

// faked refuses what wants weights of an export without them.
func (s *TorchExport) faked() error {
	switch {
	case s.Weights != "" && !s.Fake:
		return session.UsageError("--weights: fills a model that was made with --fake; lathe export fills any other model")
	case !s.Fake:
		return nil
	case slices.Contains(s.Strategy, string(torch.Legacy)):
		return session.UsageError("--fake: goes with the new exporter, --strategy non-strict,strict; the old one runs the model")
	case s.Training:
		return session.UsageError("--fake: does not go with --training, which is the old exporter's")
	case s.Verify || s.Dump:
		return session.UsageError("--fake: there are no weights to verify with, or to save in an exported program")
	}
	return nil
}

// weighted is a model that was exported without elements, with those of the file of weights, or
// with the names and types that lathe export --weights fills.
func (j *torchJob) weighted(ctx context.Context, m *graphops.Model, fakes []torch.Fake) (*graphops.Model, error) {
	s := j.step
	if s.Weights == "" && s.AsInputs && s.NoInitializers {
		return m, nil // a run gives them
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
	f := filling{Weights: s.Weights}
	set, err := f.open(ctx, j.env, s.Weights)
	if err != nil {
		return nil, err
	}
	m, fitting, err := apply.To(m, set, apply.Options{Aliases: aliases})
	var misfit *apply.MisfitError
	if errors.As(err, &misfit) {
		err = &unfilled{err, newFillingReport(set, misfit.Fitting)}
	}
	if err != nil {
		_ = set.Close() // it was only read from
		return nil, err
	}
	j.report.Filled = newFillingReport(set, fitting)
	for _, w := range slices.Concat(set.Warnings, fitting.Warnings) {
		j.report.warn("%s: %s", s.Weights, w)
	}
	return m, nil
}

// weigh gives the model in PyTorch the weights of the saved one. Why tells what keeps them from
// being compared.
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
		return "it has parameters that the exported model does not, " + graphops.QuoteNames(missing), nil
	}
	return "", err
}
