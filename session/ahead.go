package session

import "context"

// Running is a step that usually runs models.
type Running interface {
	Step
	// Ahead returns what the step will need, and how the first model is run, so that a
	// worker can start before the model is there.
	Ahead() (Need, Execution)
}

// Need is what a step most likely needs of a runtime.
type Need int

// The needs. Each includes those before it.
const (
	NeedNothing Need = iota // if workers are needed after all, they start one after the other
	NeedVersion             // of the library
	NeedWorker
)

// Prepare starts to make the runtime ready that a step most likely needs, while the step does
// other things. end ends what the step did not need.
func (e Env) Prepare(ctx context.Context, step Step) (end func()) {
	running, ok := step.(Running)
	if !ok {
		return func() {}
	}
	need, o := running.Ahead()
	return e.Ready(ctx, need, o)
}

// Ready starts to make the runtime ready for models that are run as o says. end ends what was not
// needed.
func (e Env) Ready(ctx context.Context, need Need, o Execution) (end func()) {
	if runtime, ok := e.Runtime.(preparer); ok {
		return runtime.Prepare(ctx, need, o)
	}
	return func() {}
}

// preparer is a Runtime that can start before a model is there.
type preparer interface {
	Prepare(ctx context.Context, need Need, o Execution) (end func())
}
