package session

import (
	"context"
	"errors"

	"lathe/bench/machine"
	"lathe/graphops"
)

// Elsewhere is a Runtime that can run models where a launcher leads.
type Elsewhere interface {
	Runtime
	// Open opens a model file of the machine that o.On leads to.
	Open(ctx context.Context, path string, allowExternal []string, o Execution) (*graphops.Model, error)
	// Machine is that machine at the moment.
	Machine(ctx context.Context, o Execution) (machine.State, error)
}

// Launched is a step whose models may run where a launcher leads.
type Launched interface {
	// RunsElsewhere reports whether they do; the ONNX Runtime of this machine does not
	// matter then.
	RunsElsewhere() bool
	// OpensElsewhere reports whether they are files of that machine.
	OpensElsewhere() bool
}

// An Opener is a step that takes a model and may have to open it elsewhere.
type Opener interface {
	Launched
	OpenModel(ctx context.Context, env Env, path string) (*graphops.Model, error)
}

var errOnlyHere = errors.New("--on: models run only on this machine here")

// OpenFor opens a model where it is to run, or here where it is sent there; "-" is
// standard input.
func (e Env) OpenFor(ctx context.Context, path string, o Execution) (*graphops.Model, error) {
	here := o.On == "" || o.Send
	switch {
	case here && path == "-" && e.Stdin == nil:
		return nil, UsageError("-: only a command outside of a recipe reads from standard input, expected the name of a file")
	case here && path == "-":
		return e.Stdin(ctx)
	case here:
		return e.Open(path)
	case path == "-":
		return nil, UsageError("--on: a model from standard input is on this machine; --send takes it there")
	}
	r, ok := e.Runtime.(Elsewhere)
	if !ok {
		return nil, errOnlyHere
	}
	return r.Open(ctx, path, e.AllowExternal, o)
}

// MachineFor is the machine that o.On leads to, at the moment.
func (e Env) MachineFor(ctx context.Context, o Execution) (machine.State, error) {
	r, ok := e.Runtime.(Elsewhere)
	if !ok {
		return machine.State{}, errOnlyHere
	}
	return r.Machine(ctx, o)
}
