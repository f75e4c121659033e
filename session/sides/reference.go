package sides

import (
	"context"
	"errors"
	"os"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/python"
	"lathe/session/trial"
)

// evaluator is the reference evaluator as a side of a comparison.
type evaluator struct{ *python.Reference }

var _ compare.Truth = evaluator{}

// Name implements compare.Executor.
func (evaluator) Name() string { return "onnx.reference.ReferenceEvaluator" }

// Word implements compare.Truth.
func (evaluator) Word() string { return "reference" }

// pairReference makes the reference evaluator run side a, with the model of side b. If it lacks an
// operator, the cases report that. If it is not installed, there is an error.
func pairReference(ctx context.Context, env session.Env, p *Pairing, b *Executor) error {
	switch {
	case b.how.On != "" && !b.how.Send:
		return session.UsageError("--reference: runs on this machine, and the model is on another; with --send it is here")
	case env.Python == nil:
		return errors.New("--reference: Python cannot be run here")
	}
	interpreter, err := env.Python()
	if err != nil {
		return err
	}
	if err := b.Load(ctx); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "lathe-reference-")
	if err != nil {
		return err
	}
	r := &python.Reference{
		Interpreter: interpreter, TempDir: temp, Timeout: b.how.Timeout, Memory: b.how.MemoryLimit,
		Phase: func(phase string) { env.Progress(session.Progress{Phase: phase}) },
	}
	p.Close = func() {
		r.Close()
		_ = os.RemoveAll(temp) // lies in the system's temporary folder
		b.Close()
	}
	p.A = evaluator{r}
	p.Ran = func() Sides {
		return Sides{side{Kind: sideReference, Version: r.Version, Python: interpreter.Path}, b.Side}
	}
	if r.Model, err = trial.FileFor(ctx, env, b.Model, temp); err != nil {
		return err
	}
	var lacking python.LackingError
	if err = r.Load(ctx); errors.As(err, &lacking) {
		return nil // every case reports it
	}
	return err
}
