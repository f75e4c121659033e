package measure

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/reporting"
)

var _ reporting.Prober = (*RunModel)(nil)

// ProbeOptions implements reporting.Prober.
func (s *RunModel) ProbeOptions() []session.Option {
	return append(s.Feeding.Options(), s.Execution.Options()...)
}

// Probe implements reporting.Prober. It runs the same part as run-model --value, and keeps the values
// in the worker instead of describing them.
func (s *RunModel) Probe(ctx context.Context, env session.Env, m *graphops.Model, names []string) (*reporting.Probe, error) {
	env.Progress(session.Progress{Phase: "making inputs"})
	request, err := s.lookRequest(m)
	if err != nil {
		return nil, err
	}
	var p *reporting.Probe
	err = s.Fitted(ctx, env, m, graphops.NamedTypes(m.Graph().FeedInputs()), request, s.Timeout, func(cases inputs.Cases) (err error) {
		cases = noteFirst(cases)
		if p, err = s.hold(ctx, env, m, cases.Cases[0], names); err == nil {
			p.Case, p.Notes = cases.Cases[0].Name, cases.Notes
		}
		return err
	})
	return p, err
}

// hold runs the part of the model that computes the values, and keeps them in the worker. If all of
// them are inputs, nothing runs, and the values are returned as they were fed.
func (s *RunModel) hold(ctx context.Context, env session.Env, m *graphops.Model, c inputs.Case, names []string) (*reporting.Probe, error) {
	if values, ok := given(c.Feeds, names); ok {
		p := reporting.NewProbe(nil)
		p.Values, p.Fed = values, needed(c.Fed, func(name string) bool { return slices.Contains(names, name) })
		return p, nil
	}
	draft := *s
	draft.Values = names
	l, err := draft.load(ctx, env, m, c.Feeds)
	if err != nil {
		return nil, err
	}
	p := reporting.NewProbe(l.Loaded)
	p.Fed = needed(c.Fed, l.takes)
	p.Opt, p.IsProbing, p.On = l.opt, l.optWhy != "", s.Launcher()
	want := make([]execution.Want, len(names))
	for i, name := range names {
		want[i].Name = name
	}
	env.Progress(session.Progress{Phase: "running"})
	err = l.Hold(ctx, l.feeds, want, func(g execution.Got) error {
		p.Values = append(p.Values, g)
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	p.Facts = l.Facts()
	return p, nil
}

// given returns the values if all of them were fed.
func given(feeds graphops.Feeds, names []string) (values []execution.Got, ok bool) {
	for _, name := range names {
		v, ok := feeds[name]
		if !ok {
			return nil, false
		}
		values = append(values, execution.Got{Name: name, Value: v})
	}
	return values, true
}
