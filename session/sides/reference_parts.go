package sides

import (
	"context"
	"errors"
	"maps"
	"os"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/session"
	"lathe/session/python"
	"lathe/session/trial"
)

// referenceParts is a execution.Runner that runs models in the reference evaluator, each in a new
// process. It always returns all outputs of a model, so these must be the values that are
// requested.
type referenceParts struct {
	env  session.Env
	temp string
	like python.Reference // settings, without a model
}

// newReferenceParts returns a runner of parts with the same settings that an executor uses.
func newReferenceParts(env session.Env, of *Executor) (*referenceParts, error) {
	interpreter, err := env.Python()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "lathe-reference-")
	if err != nil {
		return nil, err
	}
	env.Progress = func(session.Progress) {} // parts are quick; the caller reports progress
	return &referenceParts{env: env, temp: temp, like: python.Reference{Interpreter: interpreter, Timeout: of.how.Timeout, Memory: of.how.MemoryLimit}}, nil
}

func (p *referenceParts) close() { _ = os.RemoveAll(p.temp) } // lies in the system's temporary folder

// Run implements execution.Runner.
func (p *referenceParts) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, _ []execution.Want, yield func(execution.Got) error) (err error) {
	folder, err := os.MkdirTemp(p.temp, "part-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	r := p.like
	r.TempDir = folder
	if r.Model, err = trial.FileFor(ctx, p.env, m, folder); err != nil {
		return err
	}
	whole := maps.Clone(in)
	for name, v := range in {
		if whole[name], err = v.InMemory(); err != nil {
			return err
		}
	}
	defer r.Close()
	got, err := r.Run(ctx, whole)
	for _, g := range got {
		if err := yield(g); err != nil {
			return err
		}
	}
	return err
}

// Try implements reduce.Runner.
func (p *referenceParts) Try(ctx context.Context, m *graphops.Model) error {
	return p.Run(ctx, m, nil, nil, func(execution.Got) error { return nil })
}
