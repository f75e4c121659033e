package runtime

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/execution"
)

// Part is the part of a model that computes some of its values. It is loaded and can run
// repeatedly.
type Part struct {
	Loaded
	model *graphops.Model
}

// LoadPart loads the nodes that compute the named values of a model's main graph. These values
// become the outputs. The part is not optimized, whatever o says, because an optimization would
// change values inside it.
func LoadPart(ctx context.Context, on Runtime, m *graphops.Model, values []string, o Execution) (*Part, error) {
	part, err := Expose(m, values)
	if err != nil {
		return nil, err
	}
	o.Opt = probing.Opt
	l, err := on.Load(ctx, part, o)
	if err != nil {
		return nil, err
	}
	return &Part{l, part}, nil
}

// Run does what Loaded.Run does. in may have all inputs of the whole model; those that the part
// does not read are left out.
func (p *Part) Run(ctx context.Context, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	return p.Loaded.Run(ctx, FeedsOf(p.model, in), want, yield)
}
