package session

import "context"

// Running is a step that usually runs models.
type Running interface {
	Step
	// Ahead returns what the step will need, and the Execution with which it will run its first
	// model. So a worker can start before the model is ready.
	Ahead() (Need, Execution)
}

// Need is what a step will most likely need of a runtime.
type Need int

// The needs, in ascending order. NeedWorker includes finding the library, as NeedVersion does.
const (
	NeedNothing Need = iota // nothing is prepared; workers start when they are needed
	NeedVersion             // the library is found, so that its version is known
	NeedWorker
)

// Prepare starts in the background what the step will most likely need: the search for the library,
// or a worker. The caller calls end when the step is done. It stops what the step did not use.
func (e Env) Prepare(ctx context.Context, step Step) (end func()) {
	running, ok := step.(Running)
	if !ok {
		return func() {}
	}
	need, o := running.Ahead()
	return e.Ready(ctx, need, o)
}

// Ready does what Prepare does, for a caller that knows the need and the Execution but has no step.
func (e Env) Ready(ctx context.Context, need Need, o Execution) (end func()) {
	if runtime, ok := e.Runtime.(preparer); ok {
		return runtime.Prepare(ctx, need, o)
	}
	return func() {}
}

// preparer is a Runtime that can start a worker before a model is ready.
type preparer interface {
	Prepare(ctx context.Context, need Need, o Execution) (end func())
}
