package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
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
	if !p.Changed {
		return s.note(p.Call, dir, newStep)
	}
	asked, m, err := s.redo(ctx, env, p.Call, dir, newStep)
	switch {
	case err != nil:
		return err
	case m == nil:
		return errors.New("it changed the model the first time and does not now")
	}
	s.Record(asked, Result{Model: m})
	return nil
}

// Follow takes the steps of a recipe on the current model, after those that the session already has. A
// step that can make a model is run, but writes no files. Other steps, such as measurements, are only
// recorded. Everything else is as in Replay.
func (s *Session) Follow(ctx context.Context, env Env, calls []Call, dir string, newStep func(name string) (Step, bool)) error {
	for i, c := range calls {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.follow(ctx, env.within(fmt.Sprintf("step %d of %d, %s", i+1, len(calls), c.Step)), c, dir, newStep)
		if err != nil {
			return fmt.Errorf("step %d, %w", i+1, InStep(c.Step, err))
		}
	}
	return nil
}

func (s *Session) follow(ctx context.Context, env Env, c Call, dir string, newStep func(name string) (Step, bool)) error {
	step, known := newStep(c.Step)
	if !known {
		return errNoStep
	}
	if _, makes := WithRole(step, RoleModel); !makes || !TakesModel(step) {
		return s.note(c, dir, newStep)
	}
	asked, m, err := s.redo(ctx, env, c, dir, newStep)
	if err != nil {
		return err
	}
	if m == s.Model() {
		m = nil
	}
	s.Record(asked, Result{Model: m})
	return nil
}

var errNoStep = errors.New("there is no such step")

// note records a call without running it.
func (s *Session) note(c Call, dir string, newStep func(name string) (Step, bool)) error {
	asked, known := newStep(c.Step)
	if !known {
		return errNoStep
	}
	if err := c.Apply(asked, dir); err != nil {
		return err
	}
	s.Record(asked, Result{})
	return nil
}

// redo runs a call on the current model. The call writes no files. It returns the step of the call, to
// record it, and the model that it made, or nil if it made none.
func (s *Session) redo(ctx context.Context, env Env, c Call, dir string, newStep func(name string) (Step, bool)) (asked Step, made *graphops.Model, err error) {
	asked, known := newStep(c.Step)
	if !known {
		return nil, nil, errNoStep
	}
	if err := c.Apply(asked, dir); err != nil {
		return nil, nil, err
	}
	again, _ := newStep(c.Step)
	if err := c.Apply(again, dir); err != nil {
		return nil, nil, err
	}
	for _, o := range again.Options() {
		if o.Target || o.Role == RoleForce { // these do not affect the model
			o.Reset()
		}
	}
	defer env.Prepare(ctx, again)()
	r, err := protect(func() (Result, error) { return again.Run(ctx, env, s.Model()) })
	return asked, r.Model, err
}
