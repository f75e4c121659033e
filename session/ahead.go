package session

import "context"

// Running is a step that runs models as a rule.
type Running interface {
	Step
	// Ahead tells what will be needed, and how the first model is run, as far as a worker can
	// start on it before there is a model.
	Ahead() (Need, Execution)
}

// Need is what a step most likely needs of a runtime.
type Need int

// What is needed: one after the other more.
const (
	NeedNothing Need = iota // though workers that are needed after all follow each other
	NeedVersion             // of the library
	NeedWorker
)

// Prepare has the runtime made ready that a step most likely needs, beside what it does before.
// end ends what it did not need.
func (e Env) Prepare(ctx context.Context, step Step) (end func()) {
	running, ok := step.(Running)
	if !ok {
		return func() {}
	}
	need, o := running.Ahead()
	return e.Ready(ctx, need, o)
}

// Ready has the runtime made ready for models that are run as o says. end ends what was not needed.
func (e Env) Ready(ctx context.Context, need Need, o Execution) (end func()) {
	if runtime, ok := e.Runtime.(preparer); ok {
		return runtime.Prepare(ctx, need, o)
	}
	return func() {}
}

// preparer is a Runtime that can start on what will be needed.
type preparer interface {
	Prepare(ctx context.Context, need Need, o Execution) (end func())
}
