package session

import (
	"context"

	"lathe/graphops"
	"lathe/session/compare"
	"lathe/session/layers"
)

// SideBySide is a report on two models that ran on the same inputs. It holds metrics and
// no values: those are made again when somebody looks.
type SideBySide interface {
	Report
	// Compared is how the outputs compare, and how the layers do; nil where these were
	// not compared.
	Compared() (*compare.Report, *layers.Report)
	// Submodel tells in a few words what a reduction left; "" where there was none.
	Submodel() string
	// Models are those that ran, nil for a side that no model stands for.
	Models() (a, b *graphops.Model)
	// Values runs again what makes a value, and gives it as each side has it.
	Values(ctx context.Context, env Env, of ComparedValue) (a, b graphops.Value, err error)
}

// ComparedValue names a value that a SideBySide tells of: an output in a case, or a
// layer.
type ComparedValue struct {
	Case   string
	Output string // by its name in A; "" of a layer
	Layer  int    // its position among the layers
	// Local asks for what B makes of A's values before the layer, else of its own.
	Local bool
}
