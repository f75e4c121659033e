package timing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"lathe/bench/machine"
	"lathe/bench/store"
	"lathe/session"
	"lathe/session/ort"
)

// generating returns the targets as models that generate, and what is measured of them. It returns
// nil if single runs are to be measured, for one of the reasons that decoders has, or because a model
// does not run so.
func (s *Benchmark) generating(ctx context.Context, env session.Env, targets []*Subject) ([]*decoder, work, error) {
	list, err := s.decoders(targets)
	if err != nil || len(list) == 0 {
		return nil, work{}, err
	}
	w, err := s.workOf(list)
	if err != nil {
		return nil, w, err
	}
	w, err = s.tried(ctx, env, list, w)
	switch {
	case err == nil:
		return list, w, nil
	case s.asked() != "", errors.Is(err, ort.ErrGone), ctx.Err() != nil:
		return nil, w, fmt.Errorf("%w%s", err, w.advice())
	}
	list[0].note(fmt.Sprintf("single runs are measured, because it did not generate: %v%s", err, w.advice()))
	return nil, w, nil
}

// advice returns what may help if a model does not generate.
func (w *work) advice() string {
	if w.known {
		return ""
	}
	return "; if its context is shorter, --depth, --prompt and --tokens state what fits"
}

// decode measures models that generate, and stores and compares the result as that of single runs.
func (s *Benchmark) decode(ctx context.Context, env session.Env, list []*decoder, w work, environment machine.Environment, baseline *store.Result) (session.Result, error) {
	targets := make([]*Subject, len(list))
	for i, d := range list {
		targets[i] = d.Subject
		d.notes = append(d.plan.Notes, w.notes...) // what was assumed for single runs does not matter
		if s.asked() == "" {
			d.note("--latency measures single runs instead")
		}
	}
	stored, err := s.stored(ctx, env, targets, environment)
	if err != nil {
		return session.Result{}, err
	}
	var tests []*test
	for i, depth := range w.depths {
		tests = append(tests, testsOf(list, w, depth, 2*i)...)
	}
	stored.Subjects = subjectsByTest(stored.Subjects, list, tests)
	pairing, err := s.pairUp(baseline, stored)
	if err != nil {
		return session.Result{}, err
	}
	report, tests, err := s.measureDecoders(ctx, env, list, w, environment)
	if err != nil {
		stored.Subjects = stored.Subjects[:len(tests)]
		return session.Result{}, s.salvage(ctx, env, report, stored, err)
	}
	return s.settle(ctx, env, report, stored, baseline, pairing)
}

// subjectsByTest returns a subject for each test, from those of the models.
func subjectsByTest(of []store.Subject, list []*decoder, tests []*test) []store.Subject {
	out := make([]store.Subject, len(tests))
	for i, t := range tests {
		for k, d := range list {
			if d == t.decoder {
				out[i] = of[k]
			}
		}
		out[i].Name, out[i].Shapes = t.Name(), nil
		out[i].Settings = maps.Clone(out[i].Settings)
		out[i].Settings["test"], out[i].Settings["depth"], out[i].Settings["cache"] = t.name(), strconv.FormatInt(t.depth, 10), string(t.mode)
	}
	return out
}
