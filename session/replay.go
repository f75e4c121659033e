package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Replay takes the steps of a history again, after those that the session holds: the
// steps that changed the model run, and write nothing; the others are noted.
// Relative paths of the history are taken from dir. newStep makes a step by its
// name. Progress tells which step is under way.
//
// A step that cannot be done again ends it with an error; the session goes up to
// that step, which is more than nothing to a person.
func (s *Session) Replay(ctx context.Context, env Env, history []Past, dir string, newStep func(name string) (Step, bool)) error {
	taken := len(s.History())
	for i, p := range history {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := fmt.Sprintf("step %d of %d, %s", taken+i+1, taken+len(history), p.Call.Step)
		if err := s.redoPast(ctx, env.within(at), p, dir, newStep); err != nil {
			return fmt.Errorf("step %d, %w", taken+i+1, InStep(p.Call.Step, err))
		}
	}
	return nil
}

// within returns an environment that puts what before the phases of its progress. It
// reports what alone at once.
func (e Env) within(what string) Env {
	hear := e.Progress
	hear(Progress{Phase: what})
	e.Progress = func(p Progress) {
		p.Phase = what + ": " + p.Phase
		hear(p)
	}
	return e
}

// InStep adds a step's name in front of an error, unless it begins with the name.
func InStep(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// redoPast takes one step of the history again.
func (s *Session) redoPast(ctx context.Context, env Env, p Past, dir string, newStep func(name string) (Step, bool)) error {
	asked, known := newStep(p.Call.Step)
	if !known {
		return errors.New("there is no such step")
	}
	if err := p.Call.Apply(asked, dir); err != nil {
		return err
	}
	if !p.Changed {
		s.Record(asked, Result{})
		return nil
	}
	again, _ := newStep(p.Call.Step)
	if err := p.Call.Apply(again, dir); err != nil {
		return err
	}
	for _, o := range again.Options() {
		if o.Target || o.Role == RoleForce { // a model does not depend on them
			o.Reset()
		}
	}
	defer env.Prepare(ctx, again)()
	r, err := protect(func() (Result, error) { return again.Run(ctx, env, s.Model()) })
	switch {
	case err != nil:
		return err
	case r.Model == nil:
		return errors.New("it changed the model before and does not now")
	}
	s.Record(asked, Result{Model: r.Model})
	return nil
}
