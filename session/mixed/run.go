package mixed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/search"
	"lathe/session/sensitivity"
	"lathe/session/trial"
)

// Planned reports what can be chosen. It runs nothing.
func (s *Auto) Planned(ctx context.Context, env session.Env, m *graphops.Model) (*Report, error) {
	if _, err := s.check(); err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, env, m, false)
	if err != nil {
		return nil, session.InModel(m, err)
	}
	r := s.newReport(p)
	r.Original, err = sizeOf(m)
	return r, err
}

// Run searches, or makes the model of --choose, and writes it. If the context ends, the result has the
// report of what was found beside the error.
func (s *Auto) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	targets, err := s.check()
	if err != nil {
		return session.Result{}, err
	}
	if err := s.CheckTargetAndInputs(ctx, s); err != nil {
		return session.Result{}, err
	}
	out, err := s.run(ctx, env, m, targets)
	if err != nil && (out.Report == nil || ctx.Err() == nil) {
		return session.Result{}, session.InModel(m, err)
	}
	return out, err
}

func (s *Auto) run(ctx context.Context, env session.Env, m *graphops.Model, targets []search.Target) (out session.Result, err error) {
	p, err := s.plan(ctx, env, m, true)
	if err != nil {
		return out, err
	}
	t, undo, err := s.tester(ctx, env, m, p, targets)
	if err != nil {
		return out, err
	}
	defer undo()
	r := s.newReport(p)
	r.fed(s, t)
	journal, path, err := s.openJournal(ctx, env, m, t)
	if err != nil {
		return out, err
	}
	if journal != nil {
		t.journal, r.Journal = journal, path
		defer func() { err = errors.Join(err, journal.Close()) }()
	}
	front, err := s.front(ctx, env, t, targets, r)
	if front == nil {
		return out, err
	}
	r.settle(s, t, m, targets, front)
	out.Report, out.No = r, r.Best == 0
	if err == nil && s.Out == "" && len(s.Choose) > 0 && r.Best > 0 {
		out.Model, err = t.make(ctx, front[0].Assignment)
	}
	if err != nil || s.Out == "" {
		return out, err
	}
	at := int(s.Point)
	if at == 0 {
		at = r.Best
	}
	switch {
	case at > len(front):
		return out, session.UsageError(fmt.Sprintf("--point %d: the front has %d points", at, len(front)))
	case at == 0:
		return out, nil // the report says that no point meets the targets
	}
	out.Model, err = s.write(ctx, env, t, targets, front[at-1], r)
	if err == nil {
		out.Files, out.No = r.File.Files(), false
	}
	return out, err
}

// tester runs the original and returns what makes trials.
func (s *Auto) tester(ctx context.Context, env session.Env, m *graphops.Model, p *plan, targets []search.Target) (*tester, func(), error) {
	how, err := s.Quant.How.Value(env)
	if err != nil {
		return nil, nil, err
	}
	how.Reuse = true
	t := &tester{plan: p, env: env, shared: s.Quant, samples: s.Samples, how: how, probable: probable(m)}
	t.env.Progress = func(session.Progress) {} // a trial is the progress of the search
	if t.original, err = sizeOf(m); err != nil {
		return nil, nil, err
	}
	if t.on, err = sensitivity.RunOriginal(ctx, env, &s.Quant, s.Samples, m, how); err != nil {
		return nil, nil, err
	}
	if err := s.label(t, targets); err != nil {
		return nil, nil, err
	}
	undo, err := t.keepRanges()
	return t, undo, err
}

// front searches and returns the front, or the model of --choose as its only point. If the search was
// stopped, the report says why. The error is that of the context, or nil.
func (s *Auto) front(ctx context.Context, env session.Env, t *tester, targets []search.Target, r *Report) (search.Front, error) {
	limited, cancel := ctx, func() {}
	if s.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	defer cancel()
	trials, err := s.trials(limited, env, t, targets)
	switch {
	case len(trials) == 0 && err != nil && ctx.Err() == nil && limited.Err() != nil:
		return nil, fmt.Errorf("--timeout %s has passed before the first trial ended; give it more time", s.Timeout)
	case len(trials) == 0:
		return nil, err
	case ctx.Err() != nil:
		r.Stopped, err = "it was interrupted", ctx.Err()
	case err != nil && limited.Err() != nil:
		r.Stopped, err = fmt.Sprintf("--timeout %s has passed", s.Timeout), nil
	case err != nil:
		return nil, err
	}
	r.Trials, r.Reused, r.New = len(trials), t.reused, t.fresh
	r.failures(t, trials)
	return search.FrontOf(targets, trials), err
}

// trials makes the trials of the search. Those of earlier searches with other targets are among them.
func (s *Auto) trials(ctx context.Context, env session.Env, t *tester, targets []search.Target) ([]search.Trial, error) {
	if len(s.Choose) > 0 {
		a, err := s.chosen(t.plan)
		if err != nil {
			return nil, err
		}
		o, err := t.Try(ctx, a)
		if err == nil && o.Failed != "" {
			err = errors.New(o.Failed)
		}
		if err == nil {
			err = search.CheckOutputs(targets, &o)
		}
		return []search.Trial{{Assignment: a, Outcome: o}}, err
	}
	original, err := t.Try(ctx, make(search.Assignment, len(t.units)))
	if err == nil && original.Failed != "" {
		err = errors.New(original.Failed)
	}
	if err == nil {
		err = search.CheckOutputs(targets, &original)
	}
	if err != nil {
		return nil, err
	}
	of := search.Search{Targets: targets, Original: original, Oracle: t, Heard: func(trials []search.Trial) {
		env.Progress(session.Progress{Phase: growth(search.FrontOf(targets, trials), targets, t.original), Done: int64(len(trials)), Unit: "trials"})
	}}
	for _, u := range t.units {
		of.Units = append(of.Units, u.Unit)
	}
	trials, err := of.Run(ctx)
	if t.journal != nil {
		trials = withKnown(trials, t.journal.Trials())
	}
	return trials, err
}

// withKnown adds the trials that are not in the list yet.
func withKnown(list, known []search.Trial) []search.Trial {
	have := map[string]bool{}
	for _, x := range list {
		have[string(x.Assignment)] = true
	}
	return append(list, slices.DeleteFunc(known, func(x search.Trial) bool { return have[string(x.Assignment)] })...)
}

// write makes the model of a point again, compares it with the original once more, and writes it.
func (s *Auto) write(ctx context.Context, env session.Env, t *tester, targets []search.Target, of search.Trial, r *Report) (*graphops.Model, error) {
	env.Progress(session.Progress{Phase: "making the model"})
	o, err := t.measure(ctx, of.Assignment)
	if err != nil {
		return nil, err
	}
	if o.Failed != "" {
		return nil, fmt.Errorf("the result does not run and is not written: %s", o.Failed)
	}
	if search.Load(targets, &of.Outcome) <= 1 && search.Load(targets, &o) > 1 {
		return nil, fmt.Errorf("the result meets the targets in one run and not in another, so it is not written: the model or its inputs are not the same in each run")
	}
	result, err := t.make(ctx, of.Assignment)
	if err != nil {
		return nil, err
	}
	r.File, err = s.Save(ctx, env, result, trial.StorageFor(t.base, result))
	return result, err
}

// failures notes the types that could not be tried for any node.
func (r *Report) failures(t *tester, trials []search.Trial) {
	tried, worked, why := map[string]int{}, map[string]int{}, map[string]string{}
	for _, x := range trials {
		for i, c := range x.Assignment {
			if c == 0 {
				continue
			}
			name := t.units[i].types[c-1].name
			tried[name]++
			if x.Outcome.Failed == "" {
				worked[name]++
			} else if why[name] == "" {
				why[name] = x.Outcome.Failed
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		if worked[name] == 0 {
			r.NoType = append(r.NoType, UnusedType{name, why[name]})
		}
	}
	r.NoType = reporting.OrEmpty(r.NoType)
}
