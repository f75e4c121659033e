package session

import (
	"context"
	"errors"
	"maps"

	"lathe/graphops"
)

// Optimizer is a Runtime that gives the graph that its optimizations make.
type Optimizer interface {
	Runtime
	// Optimize loads a model and gives the graph that the runtime would run, at the
	// level of o. Its descriptions are the runtime's own: see graphops/adopt.
	Optimize(ctx context.Context, m *graphops.Model, o Execution) (Optimized, error)
}

// Optimized is what a runtime made of a model.
type Optimized struct {
	Model *graphops.Model
	Facts Facts
	// Transformers are the optimizations that changed something, as the runtime names
	// them.
	Transformers []string
}

// noPrepacking has a session leave weights as they lie: it is not run.
const noPrepacking = "session.disable_prepacking"

// Optimize implements Optimizer. Weights that no optimization touched are where they
// were; the others lie in a file without a name, which goes when the model does.
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
