package session

import (
	"context"

	"lathe/graphops"
)

// Part is what makes some values of a model, loaded to run again and again.
type Part struct {
	Loaded
	model *graphops.Model
}

// LoadPart loads what makes the named values of a model's main graph, with these as its
// outputs, and unoptimized whatever o says: an optimization changes the numbers inside.
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

// Run is that of Loaded, and takes feeds of the whole model.
func (p *Part) Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	return p.Loaded.Run(ctx, FeedsOf(p.model, in), want, yield)
}
