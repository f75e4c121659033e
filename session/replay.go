package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Replay takes the steps of a history again, after those that the session already has. Steps that
// changed the model are run, but write no files; other steps are only recorded. Relative paths in
// the history are relative to dir. newStep makes a step by its name. env.Progress receives the step
// that is running.
//
// If a step cannot be repeated, Replay returns an error. The session then has the steps before it,
// which is better for a person than losing all of them.
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

// within returns an environment for a part of the work. It reports what as the phase at once, and
// puts it in front of every later phase.
func (e Env) within(what string) Env {
	hear := e.Progress
	hear(Progress{Phase: what})
	e.Progress = func(p Progress) {
		p.Phase = what + ": " + p.Phase
		hear(p)
	}
	return e
}

// InStep adds a step's name in front of an error unless the error begins with it.
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
		if o.Target || o.Role == RoleForce { // these do not affect the model
			o.Reset()
		}
	}
	defer env.Prepare(ctx, again)()
	r, err := protect(func() (Result, error) { return again.Run(ctx, env, s.Model()) })
	switch {
	case err != nil:
		return err
	case r.Model == nil:
		return errors.New("it changed the model the first time and does not now")
	}
	s.Record(asked, Result{Model: r.Model})
	return nil
}
