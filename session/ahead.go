package session

import "context"

// Running is a step that usually runs models.
type Running interface {
	Step
	// Ahead returns what the step will need, and how its first model is run, so that a worker can
	// start before the model is ready.
	Ahead() (Need, Execution)
}

// Need is what a step will most likely need of a runtime.
type Need int

// The needs. Each one includes those before it.
const (
	NeedNothing Need = iota // nothing is prepared; workers start when they are needed
	NeedVersion             // the version of the library
	NeedWorker
)

// Prepare starts to find the library and to start a worker in the background, as far as the step
// will most likely need them. end stops what the step did not need.
func (e Env) Prepare(ctx context.Context, step Step) (end func()) {
	running, ok := step.(Running)
	if !ok {
		return func() {}
	}
	need, o := running.Ahead()
	return e.Ready(ctx, need, o)
}

// Ready is Prepare for models that run as o says. end stops what was not needed.
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
