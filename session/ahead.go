package session

import (
	"context"

	"lathe/session/runtime"
)

// Running is a step that usually runs models.
type Running interface {
	Step
	// Ahead returns what the step will need, and the Execution with which it will run its first
	// model. So a worker can start before the model is ready.
	Ahead() (runtime.Need, runtime.Execution)
}

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
func (e Env) Ready(ctx context.Context, need runtime.Need, o runtime.Execution) (end func()) {
	if runtime, ok := e.Runtime.(preparer); ok {
		return runtime.Prepare(ctx, need, o)
	}
	return func() {}
}

// preparer is a Runtime that can start a worker before a model is ready.
type preparer interface {
	Prepare(ctx context.Context, need runtime.Need, o runtime.Execution) (end func())
}
