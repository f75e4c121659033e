package runtime

import (
	"context"
	"errors"
	"maps"

	"lathe/graphops"
)

// Optimizer is a Runtime that can return the graph after its optimizations.
type Optimizer interface {
	Runtime
	// Optimize loads a model and returns the graph that the runtime would run at the optimization
	// level of o, with the names and types that the runtime gave. Package graphops/adopt turns it
	// into a model with the inputs, outputs and descriptions of the original.
	Optimize(ctx context.Context, m *graphops.Model, o Execution) (Optimized, error)
}

// Optimized is a model after the runtime's optimizations.
type Optimized struct {
	Model *graphops.Model
	Facts Facts
	// Transformers are the runtime's names of the optimizations that changed something.
	Transformers []string
}

// noPrepacking makes a session keep the weights in their original layout. The session will not run,
// so converting them would be wasted.
const noPrepacking = "session.disable_prepacking"

// Optimize implements Optimizer. Weights that no optimization changed refer to the original file.
// The others are in a temporary file without a name, whose space is freed together with the model.
func (w *Workers) Optimize(ctx context.Context, m *graphops.Model, o Execution) (out Optimized, err error) {
	if o.On != "" {
		return out, UsageError("--on: the result fits only the machine that optimizes it; run lathe optimize there")
	}
	o.Dump, o.Config = true, maps.Clone(o.Config)
	if o.Config == nil {
		o.Config = map[string]string{}
	}
	if o.Config[noPrepacking] == "" {
		o.Config[noPrepacking] = "1"
	}
	l, err := w.Load(ctx, m, o)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	dumped, err := l.(*loaded).session.Dump(ctx)
	if err != nil {
		return out, err
	}
	out.Facts, out.Transformers = l.Facts(), dumped.Transformers
	out.Model, err = dumped.Structure.Here()
	return out, err
}
