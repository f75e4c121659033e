package graphops

import (
	"context"

	"lathe/graphops/tensor"
)

// Feeds are the values that a run is given, by input name.
type Feeds map[string]tensor.Tensor

// KindTensor is the kind of a value that is a dense tensor.
const KindTensor = "tensor"

// Got is one value that a run made.
type Got struct {
	Name string
	// Kind is KindTensor, or the type of anything else spelled out, as
	// "seq(map(i64,f32))"; such values come without elements.
	Kind  string
	Value tensor.Tensor
}

// Runner evaluates values of a model. The model need not be saved.
type Runner interface {
	// Run evaluates the wanted values, any of the main graph, and yields them one
	// at a time in the order of want.
	Run(ctx context.Context, m *Model, in Feeds, want []string, yield func(Got) error) error
}

// Typer tells the types that a runtime infers for values of a model.
type Typer interface {
	// Types answers for as many of the names as it can. Symbols keep their names.
	Types(ctx context.Context, m *Model, names []string) (map[string]Type, error)
}
