package session

import (
	"context"
	"errors"
	"fmt"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/runtime"
	"lathe/session/text"
)

// elsewhere is a Runtime that can run models on another machine, which a launcher command reaches.
type elsewhere interface {
	// Open opens a model file on the machine that o.On reaches.
	Open(ctx context.Context, path string, allowExternal []string, o runtime.Execution) (*graphops.Model, error)
	// Machine returns the present state of that machine.
	Machine(ctx context.Context, o runtime.Execution) (machine.State, error)
}

// Launched is a step whose models may run on another machine.
type Launched interface {
	// RunsElsewhere reports whether the models run on another machine. If so, the ONNX Runtime of
	// this machine is not used.
	RunsElsewhere() bool
	// OpensElsewhere reports whether the model files are on that machine too.
	OpensElsewhere() bool
}

var errOnlyHere = errors.New("--on: this program can run models only on this machine")

// OpenFor opens a model on the machine that runs it, or here if it is sent there. The path "-" is
// standard input.
func (e Env) OpenFor(ctx context.Context, path string, o runtime.Execution) (*graphops.Model, error) {
	here := o.On == "" || o.Send
	switch {
	case here && path == "-" && e.Stdin == nil:
		return nil, UsageError("-: only a command outside of a recipe can read from standard input; give the name of a file")
	case here && path == "-":
		return e.Stdin(ctx)
	case here:
		return e.Open(path)
	case e.Models[path] != nil:
		return nil, UsageError(fmt.Sprintf("--on: %s is in no file, only in memory on this machine; add --send to send it to the other machine", text.CleanLine(path)))
	case path == "-":
		return nil, UsageError("--on: a model from standard input is on this machine; add --send to send it to the other machine")
	}
	r, ok := e.Runtime.(elsewhere)
	if !ok {
		return nil, errOnlyHere
	}
	return r.Open(ctx, path, e.AllowExternal, o)
}

// MachineFor returns the present state of the machine that o.On reaches.
func (e Env) MachineFor(ctx context.Context, o runtime.Execution) (machine.State, error) {
	r, ok := e.Runtime.(elsewhere)
	if !ok {
		return machine.State{}, errOnlyHere
	}
	return r.Machine(ctx, o)
}
