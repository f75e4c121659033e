package session

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
	// level of o. Names and types are those of the runtime; see graphops/adopt.
	Optimize(ctx context.Context, m *graphops.Model, o Execution) (Optimized, error)
}

// Optimized is a model after the runtime's optimizations.
type Optimized struct {
	Model *graphops.Model
	Facts Facts
	// Transformers are the optimizations that changed something, by the names that the runtime
	// gives them.
	Transformers []string
}

// noPrepacking makes a session keep the layout of weights, because it will not run.
const noPrepacking = "session.disable_prepacking"

// Optimize implements Optimizer. Weights that no optimization changed refer to the original file.
// Others are in a temporary file without a name, which is freed with the model.
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
